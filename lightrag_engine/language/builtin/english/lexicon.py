"""Closed word lists of English that the rules look up. Kinds of words, no names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def words(text: str) -> frozenset[str]:
    """Return the words of a list written with spaces."""
    return frozenset(text.split())


def _table(groups: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({word: label for label, text in groups.items() for word in text.split()})


HONORIFICS = words(
    "mr mrs ms miss dr prof professor sir lady lord dame rev reverend capt captain col colonel gen "
    "general lt lieutenant sgt sergeant major maj st president king queen prince princess emperor "
    "empress pope senator governor chancellor minister judge justice bishop archbishop cardinal "
    "sheikh sultan madam madame monsieur herr frau señor señora agent detective inspector officer "
    "commander admiral marshal field master uncle aunt brother father"
)
# Kept before a single name: the wife or the daughter is not the man of the same name.
KEPT_HONORIFICS = words("mrs miss ms lady madam madame queen princess empress")

# A run of proper nouns made of these alone names a role, not a thing.
ROLE_WORDS = HONORIFICS | words(
    "chairman chairwoman director manager secretary vice deputy prime head chief executive officer "
    "professor doctor mayor ambassador attorney coach editor founder leader member owner partner "
    "representative speaker spokesman treasurer ceo cto cfo gentleman gentlemen sirs ma'am madam "
    "friend friends boy boys girl mother father brother sister uncle aunt cousin son daughter "
    "grandfather grandmother mum dad mom heaven goodness lord god chapter section figure table page "
    "volume part appendix note notes contents preface introduction abstract summary conclusion "
    "references source"
)
# Before a person's name they are no part of it ("old Marley"); others may be ("Little Richard").
EPITHETS = words("old poor dear")
ENDEARMENTS = EPITHETS | words("little young good merry happy")

# Small words inside names of other languages.
CONNECTORS = words(
    "von der den dem de la le les di du des og y e und et del della da do dos van el al och ut"
)
# Job titles beside `KINDS`' persons: a run of capitals that ends so is a post.
POSTS = words(
    "chief master editor envoy coordinator correspondent analyst magistrate advocate dean ambassador "
    "assistant administrator commissioner counsel inspector marshal regent warden undersecretary "
    "lecturer fellow"
)

MONTHS = words("january february march april may june july august september october november december")
WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")
APPROXIMATIONS = words(
    "about over more than nearly approximately around some almost at least up to under roughly circa "
    "only just less fewer an estimated another the a"
)
VAGUE_NUMBERS = words("one half dozens hundreds thousands millions")
UNIT_SYMBOLS = frozenset("%$£€¥₹")

HE_SHE = words("he she him her his hers himself herself")
I_YOU = words("i me my you your we us our myself yourself")
IT = words("it its itself")
THEY = words("they their them")

# Head word of a name, or the noun that introduces one -> label.
KINDS = _table(
    {
        "GPE": "city town village municipality county province district state country kingdom "
        "republic capital borough parish prefecture commune suburb hamlet territory nation "
        "oblast empire",
        "LOC": "river lake mountain mountains mount bay island islands isle sea ocean valley "
        "peninsula desert gulf strait coast region hill hills creek glacier forest cape peak "
        "range continent basin reef canal",
        "FAC": "street road avenue square bridge airport station stadium castle palace cathedral "
        "tower hall house park building highway railway theatre theater museum monument prison "
        "hospital harbour harbor port arena dam mine lane temple abbey churchyard",
        "ORG": "university college school institute company corporation inc ltd llc corp gmbh records "
        "party club association committee council ministry department agency bank orchestra "
        "band church army regiment society foundation union league airlines airline group "
        "entertainment pictures studios press team organization organisation commission "
        "authority bureau office parliament senate congress court navy brigade division corps "
        "academy firm label network federation alliance trust board service newspaper squadron "
        "broadcaster publisher manufacturer subsidiary startup ngo charity observatory laboratory "
        "glassworks ironworks brewery cooperative consortium",
        "EVENT": "award awards prize cup championship championships olympics games festival war "
        "battle conference summit tournament revolution election elections eve campaign "
        "crisis massacre treaty expo operation uprising rebellion season ceremony siege "
        "holiday",
        "WORK_OF_ART": "film movie album song single novel book series play episode opera symphony "
        "poem painting magazine show sitcom musical soundtrack track story videogame "
        "game ballet anthology comic manga drama journal documentary ep sequel trilogy atlas "
        "catalogue catalog encyclopedia encyclopaedia memoir",
        "LAW": "act constitution convention directive regulation amendment declaration charter bill code",
        "PRODUCT": "aircraft car ship locomotive submarine rifle missile engine smartphone software "
        "browser phone vehicle spacecraft satellite console processor app platform",
        "TECHNOLOGY": "algorithm protocol technology framework language library database compiler",
        "PERSON": "actor actress singer songwriter musician composer writer author poet novelist "
        "politician footballer player president king queen prince princess emperor painter "
        "artist director producer scientist physicist engineer lawyer judge general soldier "
        "journalist teacher professor architect philosopher historian economist businessman "
        "entrepreneur wrestler boxer driver cyclist swimmer athlete rapper dancer model "
        "comedian presenter bishop priest minister senator governor mayor diplomat wife "
        "husband brother sister son daughter father mother nephew niece uncle aunt clerk "
        "friend man woman boy girl guitarist drummer bassist pianist character founder "
        "nurse doctor chef designer mathematician chemist biologist activist missionary "
        "astronomer optician librarian schoolteacher inventor explorer surgeon merchant farmer "
        "miller widow leader chairman chairwoman",
        "NORP": "people tribe ethnic",
        "CONCEPT": "species genus family disease theory style genre dynasty method",
    }
)

BIRTH_DEATH = words("bear die marry kill murder baptize")
DWELLING = words("bear die live raise bury grow reside settle")
RELEASE = words("release publish premiere air debut broadcast issue write record open launch screen produce")
FOUNDING = words(
    "found establish form create build incorporate open dissolve construct complete start abolish"
)
HOLDING = words("hold begin start end take happen occur open launch stage found establish")

SPEECH = words(
    "say tell ask reply cry answer return exclaim whisper observe shout remark murmur call continue "
    "add repeat speak"
)
# Who does such things is a person, whatever the name looks like.
HUMAN_VERBS = SPEECH | words("smile nod laugh sit walk look think feel frown wish hope listen bow turn")

KIN = words(
    "wife husband widow brother sister son daughter father mother grandson granddaughter grandfather "
    "grandmother nephew niece uncle aunt cousin"
)
# With "in" or "on" these speak of a person's mind or work rather than of a place.
ATTITUDES = words(
    "believe belief trust faith confide interest interested base depend focus rely book article essay work "
    "study influence confidence expert model lecture write"
)
# Only persons do such things, whatever kind of text tells it; companies "say", "move" and "join" too.
PERSONAL_VERBS = words(
    "bear die marry study graduate persuade travel learn teach retire invent live smile nod laugh sit walk "
    "wish whisper frown think"
)
# First words of the names of heavenly bodies, which are called after persons.
BODIES = words("comet asteroid planet galaxy nebula")
# A title that begins with such a word is that of a text, not the name of what the text is about.
WRITINGS = words(
    "history report guide introduction story life memoir memoirs biography notes handbook manual survey "
    "overview essay letter diary review summary account chronicle study portrait"
)

# Heads of technical terms.
TECHNICAL = words(
    "algorithm battery software hardware network sensor device engine vehicle database protocol "
    "processor chip robot computer server turbine reactor satellite drone laser encryption compiler "
    "interface architecture cell motor system platform machine grid charger"
)
# Nouns that head a phrase without naming a subject matter.
VAGUE = words(
    "people person man woman day night hour minute week month year century moment place hand head eye "
    "face voice side end case example fact point reason result use order level amount range set "
    "series group piece bit lot couple pair majority half rest thing something someone anything "
    "nothing everything today tomorrow yesterday time times first last new old same several many few "
    "other next previous following different various certain great good little own whole major main "
    "early late important large small high low long short recent total general percent number figure "
    "table section chapter page word sort way while need mr mrs"
)

# Verbs and nouns that say nothing of what a relation is about.
EMPTY_WORDS = words(
    "be have do get make go come take say tell ask reply cry think know see look seem become use give "
    "let put will would shall should can could may might must one thing way lot part member time year "
    "name other such number kind sort who which that what"
)
