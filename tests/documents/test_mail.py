import pytest
from made_files import make_mail

from lightrag_engine.documents import mail, read
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings


def test_headers_text_and_attachments(settings: Settings) -> None:
    data = make_mail(attachments={"fees.csv": b"a,b", "photo.png": b"\x89PNG"}, html="<p>not this</p>")
    document = read("a.eml", data, settings)
    assert document.title == "The ferry"
    assert document.text == (
        "From: Mara Quill <mara@example.invalid>\nTo: renn@example.invalid\n"
        "Date: Fri, 03 May 2024 10:00:00 +0200\nSubject: The ferry\nAttachments: fees.csv, photo.png\n\n"
        "Tobias Renn met her."
    )
    assert document.warnings == ("attachments that are not read: photo.png",)


def test_html_where_there_is_no_plain_text(settings: Settings) -> None:
    html = "<style>p{}</style><p>Hello <b>Bram</b>,</p><p>Port&nbsp;Ansel</p>"
    text = read("a.eml", make_mail("", html=html), settings).text
    assert text.endswith("\n\nHello Bram,\n\nPort Ansel")


def test_encodings(settings: Settings) -> None:
    head = b"From: =?gb2312?B?wu3H5brN?= <m@example.invalid>\nSubject: =?utf-8?q?Caf=C3=A9?=\n"
    body = "云岭轮渡公司由马清和创立。".encode("gbk")
    document = read("a.eml", head + b"Content-Type: text/plain; charset=gbk\n\n" + body, settings)
    assert document.title == "Café"
    assert document.text.startswith("From: 马清和 <m@example.invalid>")
    assert document.text.endswith("云岭轮渡公司由马清和创立。")
    unknown = read("a.eml", head + b"Content-Type: text/plain; charset=x-none\n\n" + body, settings)
    assert unknown.text.endswith("马清和创立。")


def test_attached_messages_and_pictures_in_the_text() -> None:
    inner = make_mail("inner text", "Re: fees", {"inner.txt": b"not an attachment of the outer one"})
    outer = (
        b"Subject: outer\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHi\n"
        b"--b\nContent-Type: message/rfc822\n\n" + inner + b"\n--b\nContent-Type: image/png; name=logo.png\n"
        b"Content-Disposition: inline\n\nx\n--b--\n"
    )
    found = list(mail.attachments(mail.parse(outer, "a.eml")))
    assert [one.name for one in found] == ["Re: fees.eml"]
    assert b"inner text" in found[0].data


@pytest.mark.parametrize(
    "head", [b"To: <<<@@,;;:\n", b"Date: yesterday\n", b"From: =?utf-8?b?????=\n", b"Subject: \xff\xfe\n"]
)
def test_malformed_headers(head: bytes, settings: Settings) -> None:
    assert read("a.eml", b"X-First: 1\n" + head + b"\nMara Quill", settings).text.endswith("Mara Quill")


def test_parts_within_parts(settings: Settings) -> None:
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000))
    with pytest.raises(DocumentError, match=r"a\.eml"):
        read("a.eml", b"Subject: ---\n" + deep, settings)


@pytest.mark.parametrize("data", [b"Dear Mara,\n\nno headers", b"Note: 1\n\nx", b"\x00" * 50])
def test_no_mail(data: bytes, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.eml is (binary data, )?not an e-mail"):
        read("a.eml", data, settings)
