BEGIN TRANSACTION;
CREATE TABLE edges (
            low_key TEXT NOT NULL, high_key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (low_key, high_key)
        ) WITHOUT ROWID;
INSERT INTO "edges" VALUES('brindle valley ferry','mara quill','{"source_key": "mara quill", "target_key": "brindle valley ferry", "keywords": ["with"], "description": "Mara Quill founded the Brindle Valley Ferry.", "weight": 1.0, "source_ids": ["chunk-444a733955ed519455e099b65fcefc2b"]}');
INSERT INTO "edges" VALUES('heron','mara quill','{"source_key": "heron", "target_key": "mara quill", "keywords": ["with"], "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 1.0, "source_ids": ["chunk-c2293301a0b67a3ca7fe09b313a19a56"]}');
INSERT INTO "edges" VALUES('heron','tobias renn','{"source_key": "tobias renn", "target_key": "heron", "keywords": ["with"], "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 1.0, "source_ids": ["chunk-c2293301a0b67a3ca7fe09b313a19a56"]}');
INSERT INTO "edges" VALUES('mara quill','port ansel','{"source_key": "mara quill", "target_key": "port ansel", "keywords": ["with"], "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 1.0, "source_ids": ["chunk-c2293301a0b67a3ca7fe09b313a19a56"]}');
INSERT INTO "edges" VALUES('mara quill','tobias renn','{"source_key": "tobias renn", "target_key": "mara quill", "keywords": ["with"], "description": "Tobias Renn met Mara Quill.", "weight": 1.0, "source_ids": ["chunk-444a733955ed519455e099b65fcefc2b"]}');
CREATE TABLE entity_records (
            extraction_id TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (extraction_id, number)
        ) WITHOUT ROWID;
INSERT INTO "entity_records" VALUES('extraction-3924249b01d844abfa5383e1a241b43d',0,'mara quill','{"entity_name": "Mara Quill", "entity_type": "concept", "entity_description": "Mara Quill founded the Brindle Valley Ferry.", "source_id": "chunk-444a733955ed519455e099b65fcefc2b", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-3924249b01d844abfa5383e1a241b43d',1,'brindle valley ferry','{"entity_name": "Brindle Valley Ferry", "entity_type": "concept", "entity_description": "Mara Quill founded the Brindle Valley Ferry.", "source_id": "chunk-444a733955ed519455e099b65fcefc2b", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-3924249b01d844abfa5383e1a241b43d',2,'tobias renn','{"entity_name": "Tobias Renn", "entity_type": "concept", "entity_description": "Tobias Renn met Mara Quill.", "source_id": "chunk-444a733955ed519455e099b65fcefc2b", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-3924249b01d844abfa5383e1a241b43d',3,'mara quill','{"entity_name": "Mara Quill", "entity_type": "concept", "entity_description": "Tobias Renn met Mara Quill.", "source_id": "chunk-444a733955ed519455e099b65fcefc2b", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',0,'tobias renn','{"entity_name": "Tobias Renn", "entity_type": "concept", "entity_description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',1,'heron','{"entity_name": "Heron", "entity_type": "concept", "entity_description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',2,'mara quill','{"entity_name": "Mara Quill", "entity_type": "concept", "entity_description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
INSERT INTO "entity_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',3,'port ansel','{"entity_name": "Port Ansel", "entity_type": "concept", "entity_description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
CREATE TABLE kv (
            namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (namespace, key)
        ) WITHOUT ROWID;
INSERT INTO "kv" VALUES('about','embedding','{"name": "hash", "dimensions": 64}');
INSERT INTO "kv" VALUES('chunks','chunk-444a733955ed519455e099b65fcefc2b','{"content": "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill.", "tokens": 19}');
INSERT INTO "kv" VALUES('chunks','chunk-c2293301a0b67a3ca7fe09b313a19a56','{"content": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "tokens": 18}');
INSERT INTO "kv" VALUES('documents','doc-444a733955ed519455e099b65fcefc2b','{"id": "doc-444a733955ed519455e099b65fcefc2b", "name": "ferry.txt", "names": ["ferry.txt"], "media_type": "text/plain", "size": 72, "state": "done", "chunks": 1, "entities": 3, "relations": 2, "tokens": 19, "steps": 0, "steps_done": 0, "seconds": 0.8564610481262207, "added_at": 1796057403.5427616, "updated_at": 1796057404.4002638, "state_since": 1796057404.4002638, "encoding": "utf-8", "pages": 0, "title": "ferry", "warnings": [], "error": "", "hint": "", "report": ""}');
INSERT INTO "kv" VALUES('documents','doc-c2293301a0b67a3ca7fe09b313a19a56','{"id": "doc-c2293301a0b67a3ca7fe09b313a19a56", "name": "渡轮.txt", "names": ["渡轮.txt"], "media_type": "text/plain", "size": 57, "state": "done", "chunks": 1, "entities": 4, "relations": 3, "tokens": 18, "steps": 0, "steps_done": 0, "seconds": 0.3179154396057129, "added_at": 1796057403.5433311, "updated_at": 1796057404.4001565, "state_since": 1796057404.4001565, "encoding": "utf-8", "pages": 0, "title": "渡轮", "warnings": [], "error": "", "hint": "", "report": ""}');
INSERT INTO "kv" VALUES('extractions','extraction-3924249b01d844abfa5383e1a241b43d','{"chunk_id": "chunk-444a733955ed519455e099b65fcefc2b", "content_keywords": ["theme"], "problems": [], "health": null}');
INSERT INTO "kv" VALUES('extractions','extraction-e1d55bb6b1f9d8dee75551037bb6bdda','{"chunk_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "content_keywords": ["theme"], "problems": [], "health": null}');
INSERT INTO "kv" VALUES('texts','doc-444a733955ed519455e099b65fcefc2b','{"id": "doc-444a733955ed519455e099b65fcefc2b", "name": "ferry.txt", "title": "ferry", "media_type": "text/plain", "size": 72, "text": "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill.", "pages": [], "encoding": "utf-8", "warnings": []}');
INSERT INTO "kv" VALUES('texts','doc-c2293301a0b67a3ca7fe09b313a19a56','{"id": "doc-c2293301a0b67a3ca7fe09b313a19a56", "name": "渡轮.txt", "title": "渡轮", "media_type": "text/plain", "size": 57, "text": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "pages": [], "encoding": "utf-8", "warnings": []}');
CREATE TABLE nodes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "nodes" VALUES('brindle valley ferry','{"key": "brindle valley ferry", "name": "Brindle Valley Ferry", "type": "concept", "description": "Mara Quill founded the Brindle Valley Ferry.", "weight": 1.0, "source_ids": ["chunk-444a733955ed519455e099b65fcefc2b"], "spellings": ["Brindle Valley Ferry"]}');
INSERT INTO "nodes" VALUES('heron','{"key": "heron", "name": "Heron", "type": "concept", "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 1.0, "source_ids": ["chunk-c2293301a0b67a3ca7fe09b313a19a56"], "spellings": ["Heron"]}');
INSERT INTO "nodes" VALUES('mara quill','{"key": "mara quill", "name": "Mara Quill", "type": "concept", "description": "Mara Quill founded the Brindle Valley Ferry.\nTobias Renn met Mara Quill.\nTobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 3.0, "source_ids": ["chunk-444a733955ed519455e099b65fcefc2b", "chunk-c2293301a0b67a3ca7fe09b313a19a56"], "spellings": ["Mara Quill"]}');
INSERT INTO "nodes" VALUES('port ansel','{"key": "port ansel", "name": "Port Ansel", "type": "concept", "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 1.0, "source_ids": ["chunk-c2293301a0b67a3ca7fe09b313a19a56"], "spellings": ["Port Ansel"]}');
INSERT INTO "nodes" VALUES('tobias renn','{"key": "tobias renn", "name": "Tobias Renn", "type": "concept", "description": "Tobias Renn met Mara Quill.\nTobias Renn built the Heron for Mara Quill in Port Ansel.", "weight": 2.0, "source_ids": ["chunk-444a733955ed519455e099b65fcefc2b", "chunk-c2293301a0b67a3ca7fe09b313a19a56"], "spellings": ["Tobias Renn"]}');
CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, id TEXT NOT NULL,
            text TEXT, metadata TEXT, vector BLOB,
            UNIQUE (collection, id)
        );
CREATE TABLE placements (
            document_id TEXT NOT NULL, position INTEGER NOT NULL, chunk_id TEXT NOT NULL,
            extraction_id TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
            page_first INTEGER, page_last INTEGER,
            PRIMARY KEY (document_id, position)
        ) WITHOUT ROWID;
INSERT INTO "placements" VALUES('doc-444a733955ed519455e099b65fcefc2b',0,'chunk-444a733955ed519455e099b65fcefc2b','extraction-3924249b01d844abfa5383e1a241b43d',0,72,NULL,NULL);
INSERT INTO "placements" VALUES('doc-c2293301a0b67a3ca7fe09b313a19a56',0,'chunk-c2293301a0b67a3ca7fe09b313a19a56','extraction-e1d55bb6b1f9d8dee75551037bb6bdda',0,57,NULL,NULL);
CREATE TABLE relation_records (
            extraction_id TEXT NOT NULL, number INTEGER NOT NULL,
            low_key TEXT NOT NULL, high_key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (extraction_id, number)
        ) WITHOUT ROWID;
INSERT INTO "relation_records" VALUES('extraction-3924249b01d844abfa5383e1a241b43d',0,'brindle valley ferry','mara quill','{"src_id": "Mara Quill", "tgt_id": "Brindle Valley Ferry", "description": "Mara Quill founded the Brindle Valley Ferry.", "keywords": ["with"], "weight": 1.0, "source_id": "chunk-444a733955ed519455e099b65fcefc2b", "rule": ""}');
INSERT INTO "relation_records" VALUES('extraction-3924249b01d844abfa5383e1a241b43d',1,'mara quill','tobias renn','{"src_id": "Tobias Renn", "tgt_id": "Mara Quill", "description": "Tobias Renn met Mara Quill.", "keywords": ["with"], "weight": 1.0, "source_id": "chunk-444a733955ed519455e099b65fcefc2b", "rule": ""}');
INSERT INTO "relation_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',0,'heron','tobias renn','{"src_id": "Tobias Renn", "tgt_id": "Heron", "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "keywords": ["with"], "weight": 1.0, "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
INSERT INTO "relation_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',1,'heron','mara quill','{"src_id": "Heron", "tgt_id": "Mara Quill", "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "keywords": ["with"], "weight": 1.0, "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
INSERT INTO "relation_records" VALUES('extraction-e1d55bb6b1f9d8dee75551037bb6bdda',2,'mara quill','port ansel','{"src_id": "Mara Quill", "tgt_id": "Port Ansel", "description": "Tobias Renn built the Heron for Mara Quill in Port Ansel.", "keywords": ["with"], "weight": 1.0, "source_id": "chunk-c2293301a0b67a3ca7fe09b313a19a56", "rule": ""}');
CREATE INDEX placements_by_chunk ON placements (chunk_id);
CREATE INDEX placements_by_extraction ON placements (extraction_id);
CREATE INDEX entity_records_by_key ON entity_records (key);
CREATE INDEX relation_records_by_pair ON relation_records (low_key, high_key);
CREATE INDEX relation_records_by_high_key ON relation_records (high_key);
CREATE INDEX edges_by_high_key ON edges (high_key);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('outbox',14);
COMMIT;
PRAGMA user_version = 1;
