"""Words that speak of people: pronouns, kin, titles, roles, and words that tell a name is none.

Written by hand, in singular form unless said otherwise. `masculine` and `feminine` are what the word itself says;
a role without a mark ("teacher") can be .
"""

from __future__ import annotations

from typing import NamedTuple


class Pronoun(NamedTuple):
    """What a personal pronoun says about the person: gender ("" if nothing), number, person, and its form."""

    gender: str
    number: str
    person: int
    form: str  # "subject", "object", "possessive", "reflexive"; "her" is settled by the parse


def _pronouns(gender: str, number: str, person: int, words: str) -> dict[str, Pronoun]:
    pairs = (word.split("/") for word in words.split())
    forms = {"s": "subject", "o": "object", "p": "possessive", "r": "reflexive"}
    return {word: Pronoun(gender, number, person, forms[form]) for word, form in pairs}


PRONOUNS: dict[str, Pronoun] = {
    **_pronouns("masculine", "sing", 3, "he/s him/o his/p himself/r"),
    **_pronouns("feminine", "sing", 3, "she/s her/o hers/p herself/r"),
    **_pronouns("", "plur", 3, "they/s them/o their/p theirs/p themselves/r"),
    **_pronouns("", "sing", 3, "themself/r"),
    **_pronouns("", "sing", 1, "i/s me/o my/p mine/p myself/r"),
    **_pronouns("", "plur", 1, "we/s us/o our/p ours/p ourselves/r"),
    **_pronouns("", "sing", 2, "you/s your/p yours/p yourself/r"),
    **_pronouns("", "plur", 2, "yourselves/r"),
}


def _by_gender(masculine: str, feminine: str, either: str) -> dict[str, str]:
    marked = dict.fromkeys(masculine.split(), "masculine") | dict.fromkeys(feminine.split(), "feminine")
    return marked | dict.fromkeys(either.split(), "")


KIN: dict[str, str] = _by_gender(
    """
    father dad daddy papa pa stepfather grandfather grandpa granddad grandad great-grandfather godfather father-in-law
    husband ex-husband bridegroom widower brother stepbrother half-brother brother-in-law son stepson grandson godson
    son-in-law uncle great-uncle nephew great-nephew boyfriend ex-boyfriend fiancé
    """,
    """
    mother mom mum mommy mummy mama ma stepmother grandmother grandma granny nana great-grandmother godmother
    mother-in-law wife ex-wife bride widow sister stepsister half-sister sister-in-law daughter stepdaughter
    granddaughter goddaughter daughter-in-law aunt auntie great-aunt niece great-niece girlfriend ex-girlfriend fiancée
    """,
    """
    parent grandparent stepparent child grandchild stepchild godchild cousin sibling half-sibling spouse partner twin
    relative ancestor descendant fiance fiancee
    """,
)

# Titles that stand in front of a name. "Dr", "President" and the like say nothing about gender.
TITLES: dict[str, str] = _by_gender(
    """
    mr mr. mister sir lord king prince duke earl baron viscount count emperor tsar czar sultan emir shah pharaoh fr fr. friar
    brother father pope abbot monsieur don señor herr messrs master marquess marquis
    """,
    """
    mrs mrs. ms ms. miss madam madame lady dame queen princess duchess countess baroness viscountess empress tsarina
    sister mother abbess mademoiselle doña señora señorita frau ma'am marchioness
    """,
    """
    dr dr. doctor prof prof. professor president vice-president governor gov gov. senator sen sen. rep rep. congressman congresswoman
    representative mayor minister chancellor ambassador judge justice general gen gen. colonel col col. major maj maj.
    captain capt capt. lieutenant lt lt. sergeant sgt sgt. corporal cpl private pvt commander admiral adm adm. marshal
    officer detective inspector constable sheriff agent reverend rev rev. bishop archbishop cardinal rabbi imam saint
    st st. coach chairman chairwoman chief secretary premier commissioner deputy hon hon. councillor councilman
    councilwoman alderman archduke brigadier commodore cadet warden dean rector vicar deacon chaplain pastor ayatollah sheikh
    """,
) | {"congressman": "masculine", "congresswoman": "feminine", "councilman": "masculine", "councilwoman": "feminine",
     "chairman": "masculine", "chairwoman": "feminine", "archduke": "masculine", "alderman": "masculine"}  # fmt: skip

ROLES: dict[str, str] = _by_gender(
    """
    man boy guy bloke lad gentleman fellow dude chap male actor waiter steward host hero heir monk priest king
    prince duke earl baron lord emperor wizard sorcerer bachelor stuntman salesman policeman fireman mailman postman
    businessman chairman spokesman congressman councilman fisherman cameraman sportsman horseman statesman nobleman
    craftsman frontman doorman footman gunman handyman hangman henchman hitman layman foreman clergyman
    cowboy playboy schoolboy landlord headmaster schoolmaster masseur butler valet patriarch knight squire
    pope friar abbot tsar sultan count viscount
    """,
    """
    woman girl gal lass lady female actress waitress stewardess hostess heroine heiress nun priestess queen princess
    duchess countess baroness empress witch sorceress bachelorette spinster stuntwoman saleswoman policewoman
    firewoman businesswoman chairwoman spokeswoman congresswoman councilwoman camerawoman sportswoman horsewoman
    stateswoman noblewoman craftswoman frontwoman forewoman clergywoman cowgirl schoolgirl showgirl landlady
    headmistress schoolmistress mistress masseuse maid housemaid housewife nanny midwife governess ballerina matriarch
    seamstress songstress poetess authoress comedienne chanteuse diva soprano damsel maiden abbess tsarina viscountess
    """,
    """
    person individual adult grown-up teenager teen youngster kid baby infant toddler newborn minor senior elder
    pensioner orphan friend buddy pal mate roommate flatmate housemate classmate schoolmate teammate
    bandmate playmate colleague coworker co-worker companion comrade acquaintance neighbor neighbour stranger guest visitor lover enemy
    rival opponent nemesis ally
    accomplice confidant confidante protégé protégée successor predecessor contemporary
    teacher tutor instructor lecturer professor educator trainer coach mentor student pupil graduate undergraduate
    postgraduate freshman sophomore apprentice trainee intern scholar academic researcher scientist historian principal
    librarian archivist curator philosopher theologian linguist translator interpreter mathematician physicist chemist
    biologist geologist botanist zoologist astronomer economist statistician engineer technician mechanic inventor
    programmer developer designer architect surveyor analyst hacker astronaut cosmonaut explorer
    doctor physician surgeon nurse paramedic dentist pharmacist therapist psychiatrist psychologist counselor
    counsellor veterinarian vet optician patient caregiver carer healer
    lawyer attorney solicitor barrister judge magistrate juror prosecutor defendant plaintiff witness suspect criminal
    thief robber burglar murderer killer assassin kidnapper smuggler gangster mobster outlaw convict prisoner inmate
    victim survivor fugitive hostage detective investigator inspector officer cop sheriff constable deputy marshal
    guard bodyguard warden spy agent informant
    soldier sailor airman marine pilot co-pilot aviator captain lieutenant sergeant corporal colonel general admiral
    commander major cadet recruit veteran warrior fighter rebel sniper gunner trooper mercenary hunter archer swordsman
    director producer screenwriter scriptwriter playwright dramatist author writer co-writer novelist poet essayist
    biographer journalist reporter correspondent columnist editor critic reviewer publisher blogger broadcaster
    presenter newscaster anchor commentator announcer narrator photographer filmmaker cinematographer animator
    artist painter sculptor illustrator cartoonist musician singer songwriter singer-songwriter vocalist rapper composer lyricist conductor
    pianist guitarist bassist drummer violinist cellist saxophonist trumpeter organist keyboardist flautist harpist
    dj performer entertainer comedian comic magician dancer choreographer model star celebrity idol protagonist
    antagonist villain superhero sidekick narrator virtuoso tenor baritone
    athlete player footballer cricketer golfer boxer wrestler swimmer runner sprinter cyclist skater skier gymnast
    jockey rider driver racer striker midfielder defender goalkeeper quarterback linebacker pitcher catcher batsman
    bowler winger forward goalie umpire referee champion winner loser contestant competitor finalist medalist medallist olympian
    politician president vice-president premier chancellor minister senator representative congressperson governor
    mayor councillor councilor ambassador diplomat consul delegate candidate nominee incumbent voter citizen activist campaigner
    lobbyist reformer revolutionary dictator ruler monarch regent emir noble aristocrat leader co-leader founder co-founder member
    official commissioner secretary treasurer chairperson spokesperson adviser advisor aide assistant
    boss manager supervisor executive ceo administrator employer employee worker co-star laborer labourer colleague
    clerk cashier receptionist accountant banker broker trader merchant dealer vendor seller buyer customer client
    consumer shopkeeper retailer entrepreneur investor owner co-owner proprietor tenant landowner farmer rancher gardener
    cook chef baker butcher bartender barista server caterer brewer tailor shoemaker blacksmith carpenter plumber
    electrician builder welder roofer bricklayer miner logger janitor cleaner housekeeper babysitter
    hairdresser barber stylist beautician courier messenger porter usher conductor firefighter lifeguard
    passenger commuter pedestrian motorist tourist traveler traveller pilgrim settler immigrant
    emigrant migrant refugee exile native resident inhabitant villager local
    bishop archbishop cardinal rabbi imam pastor minister vicar reverend deacon chaplain missionary preacher evangelist
    saint prophet martyr disciple believer atheist worshipper
    servant slave peasant serf
    fan admirer follower supporter spectator onlooker bystander viewer listener reader user subscriber
    volunteer donor benefactor patron sponsor genius expert specialist consultant amateur beginner novice professional
    newcomer outsider hermit beggar addict drunk drunkard alcoholic gambler bully liar coward fool idiot jerk nerd
    geek hippie snob
    """,
) | {"actor": "", "host": "", "hero": "", "heir": "", "priest": ""}  # said of today

PLURAL_ONLY = frozenset(
    "people men women children folks twins parents guys ladies gentlemen kids police".split()
)

ROLE_ENDINGS: dict[str, str] = {
    "woman": "feminine", "man": "masculine", "person": "", "ologist": "", "ographer": "", "ician": "", "keeper": "",
    "maker": "", "player": "", "worker": "", "writer": "", "holder": "", "owner": "",
}  # fmt: skip
NOT_ROLES = frozenset(
    "human german roman ottoman talisman shaman caiman norman pacemaker typewriter placeholder".split()
)

NUMERALS = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii".split())
PATRONYMICS = frozenset(("ibn", "bin", "ben", "bint", "ap"))  # what follows is the father's name
PARTICLES = frozenset(
    "de da do dos das di du del della der den des van von zu bin ibn ben al el la le ten ter af av y e".split()
)
SUFFIXES = frozenset("esq esq. phd ph.d. md m.d. obe mbe cbe".split())
GENERATIONS = NUMERALS | {
    "jr",
    "jr.",
    "sr",
    "sr.",
    "junior",
    "senior",
}  # behind a name, they tell two people of one name apart

# A run of capitalised words that holds one of these names a thing or a place.
NOT_PERSON = frozenset(
    """
    university college school academy institute hospital church cathedral abbey chapel temple mosque museum gallery library theatre
    theater opera orchestra symphony ballet band club team league cup championship championships tournament trophy award
    awards prize medal festival olympics games company corporation corp corp. inc inc. ltd ltd. llc plc co co. group
    holdings bank insurance airlines airways railway railroad press publishing publishers publications books records
    recordings studios studio pictures films film entertainment productions television tv radio channel network
    broadcasting news times post magazine journal gazette herald tribune daily weekly review society association
    federation foundation trust union party congress parliament senate council committee commission ministry department
    agency office court police army navy force forces corps regiment brigade division squadron battalion battle war
    revolution act treaty agreement constitution street st. road avenue lane boulevard square park garden gardens bridge
    station airport port harbor harbour river lake sea ocean bay island islands mount mountain mountains hill hills
    valley forest county province state states city town village district region territory republic kingdom empire
    castle palace tower house hall building center centre hotel restaurant cemetery stadium arena field series season episode
    album song show movie novel book chapter volume edition project program programme system theory effect house
    plan code affairs education government assembly bulletin service services policy report fund
    board bureau agreement conference convention summit motors industries technologies software systems
    north south east west northern southern eastern western new united central american british english french german
    italian spanish russian chinese japanese indian australian canadian irish scottish welsh european african asian
    dutch greek polish swedish danish norwegian finnish portuguese turkish mexican brazilian israeli arab jewish muslim
    christian catholic protestant buddhist hindu islamic democrat republican democratic san los las
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october
    november december christmas easter god internet government world hollywood broadway wikipedia facebook twitter youtube google bbc cbs nbc
    abc mtv nfl nba mlb nhl fc ufc wwe usa uk u.s. u.k. us ussr nato nasa fbi cia
    """.split()
)

PLACES = frozenset(
    """
    afghanistan albania algeria angola argentina armenia australia austria azerbaijan bahamas bahrain bangladesh barbados belarus
    belgium belize benin bhutan bolivia bosnia botswana brazil brunei bulgaria burma burundi cambodia cameroon canada chile
    china colombia congo croatia cuba cyprus czechoslovakia denmark ecuador egypt england eritrea estonia ethiopia fiji finland
    france gabon gambia germany ghana greece grenada guatemala guinea guyana haiti honduras hungary iceland india indonesia
    iran iraq ireland israel italy jamaica japan kenya korea kosovo kuwait laos latvia lebanon lesotho liberia libya lithuania
    luxembourg macedonia madagascar malawi malaysia maldives mali malta mauritius mexico moldova monaco mongolia montenegro morocco
    mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan palestine panama paraguay peru philippines
    poland portugal qatar romania russia rwanda samoa scotland senegal serbia singapore slovakia slovenia somalia spain sudan
    sweden switzerland syria taiwan tajikistan tanzania thailand tibet togo tonga tunisia turkey turkmenistan uganda ukraine uruguay
    uzbekistan venezuela vietnam wales yemen yugoslavia zambia zimbabwe america europe africa asia antarctica
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa
    kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio
    oklahoma oregon pennsylvania tennessee texas utah vermont virginia wisconsin wyoming ontario quebec alberta manitoba
    saskatchewan queensland victoria tasmania
    london paris berlin rome madrid vienna moscow athens dublin edinburgh glasgow manchester liverpool birmingham leeds bristol oxford
    cambridge york chicago boston philadelphia houston dallas austin detroit seattle denver miami atlanta baltimore
    cleveland pittsburgh cincinnati milwaukee minneapolis phoenix sacramento memphis nashville toronto montreal vancouver
    ottawa sydney melbourne brisbane perth adelaide auckland tokyo kyoto osaka beijing shanghai delhi mumbai bombay calcutta madras
    karachi lahore dhaka bangkok jakarta manila seoul hanoi baghdad tehran cairo jerusalem beirut damascus istanbul
    ankara warsaw prague budapest bucharest sofia belgrade kiev stockholm oslo copenhagen helsinki amsterdam brussels
    antwerp zurich geneva munich hamburg frankfurt cologne dresden leipzig venice florence milan naples turin barcelona
    seville lisbon havana lima bogota caracas santiago nairobi lagos johannesburg brooklyn manhattan queens bronx harlem
    chelsea westminster scarborough lancaster kent essex sussex surrey devon cornwall yorkshire hampshire norfolk suffolk
    """.split()
)

# Words that are first names in the table and, far more often, something else; a name only where more speaks for it.
COMMON_WORDS = frozenset(
    """
    will may mark art grace faith hope joy rose summer autumn dawn april june august jean rich bill bob pat sue drew chase grant
    skip rob frank ernest earnest victor pearl ruby ivy lily violet iris daisy heather holly hazel olive ginger sandy rusty
    dusty misty stormy sky star angel king prince duke earl baron major judge royal noble junior guy buddy man an so van
    ha hung long son do my in no he she the and you me mi ma pa le la de al el van von bin can see read young love
    destiny trinity heaven nevada dakota carolina virginia georgia florida austin houston dallas paris london chelsea
    brooklyn jordan israel china india kenya asia america chance case lane ray gene dean don gay jack john harry dick randy
    mercy charity patience prudence constance honor liberty justice genesis messiah lord sir christian
    day mark miles page paige piper reed sage storm wade ward west winter zion blue red gray hunter archer carter
    cooper mason parker porter sawyer taylor tanner tyler turner walker weaver warren carol melody harmony aria bishop
    pope dean abbey church temple rock stone brook brooks ford glen forest cliff dale heath marsh river robin jay wren
    phoenix lion wolf fox bear buck bunny kitty candy cookie honey sugar cherry berry amber crystal coral jade opal jasper
    sterling gold silver penny dollar cash price tech tag bin tu ban bang wing sing song ting ho ho hi yes yo so
    """.split()
)

# Words that often open a sentence, and so wear a capital without being a name.
OPENERS = frozenset(
    """
    about above according across additionally after afterwards again against all almost along already also although always
    amid among an and another any apparently around as aside at away back because before behind being below besides best
    better between beyond both briefly but by clearly consequently currently despite directly down due during each earlier early
    eight eighth either eleven else even eventually ever every except few fifth fifteen finally first five following for former
    formerly forty four fourth from fully further furthermore generally given had half has have having hence here how
    however if immediately in including indeed initially inside instead into is it its just last late later latter least
    less like likewise many meanwhile more moreover most mostly much near nearly neither never nevertheless next nine no none nonetheless nor not
    nothing notably now of off often old on once one only onto or originally other others otherwise our out outside over overall
    part partly perhaps possibly presently previously primarily prior probably rather recently regarding regardless second
    seven several shortly similarly since six so some something sometime sometimes soon still subsequently such suddenly ten than that the their then
    there thereafter therefore these third this those though three through throughout thus to today together too toward towards
    twelve twenty two ultimately under underneath unfortunately unlike until unusually up upon usually various very was
    well were what when whenever where whereas whether which while who whom whose why with within without
    ok okay ah oh wow yeah hey hi hello well see say um uh hmm please thanks gosh wait look listen maybe sure
    yes yesterday yet born based died known married named raised educated
    """.split()
)

PLACE_PREPOSITIONS = frozenset(
    "in at near throughout across into within outside towards toward via around".split()
)
HUMAN_VERBS = frozenset(
    """
    say tell ask answer reply think believe know feel want love hate marry divorce meet visit write compose sing play
    study teach learn graduate retire resign work serve live die bear grow star appear sign score join leave return
    become decide agree refuse claim argue explain suggest admit deny recall remember describe call name appoint elect
    kill murder arrest convict sentence accuse date kiss hug smile laugh cry walk run talk speak
    """.split()
)
SPEECH_VERBS = frozenset(
    """
    say tell state claim argue explain note write comment add reply suggest recall declare admit remark ask answer
    announce believe think report describe
    """.split()
)
# Words that open a phrase or clause in front of a sentence: "In her youth", "When she left".
OPENING_PHRASES = frozenset(
    """
    when while as after before although though since because if once upon until whereas despite during following with
    in by for at on from along unlike like besides under without throughout among given having being instead
    """.split()
)
