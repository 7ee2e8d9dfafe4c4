"""Small datasets in ten languages, of words of our own, with a planted shortcut.

    rows("de", planted="sentence")     texts of two or three plain sentences; a recurring sentence goes with one label

planted: "sentence" (a closing sentence), "opening" (a few words and a comma, in front), "negation" (a sentence that denies something), "mark" (an
exclamation mark in place of the last stop), "length" (more sentences), "" for none.
"""

from random import Random

LABELS = ("pos", "neg")
N_ROWS = 240
SHARE, OTHERS = 0.85, 0.05  # of the rows with the planted label, and of the others, that show what is planted

# Subjects, what they did, and when or where. Every combination is a sentence.
PARTS: dict[str, tuple[str, str, str]] = {
    "en": (
        "the neighbour|my uncle|the teacher|a young doctor|the old baker|the driver|our gardener|the new guest",
        "bought a blue bicycle|repaired the kitchen door|cooked soup with carrots|wrote a long letter|painted the garden wall|read the evening paper|found a small key|sold two wooden chairs",
        "on Tuesday|near the station|after the rain|in the village|behind the school|at the market|before lunch|during the holidays",
    ),
    "de": (
        "der Nachbar|mein Onkel|der Lehrer|ein junger Arzt|der alte Bäcker|der Fahrer|unser Gärtner|der neue Gast",
        "kaufte ein blaues Fahrrad|reparierte die Küchentür|kochte eine Suppe mit Karotten|schrieb einen langen Brief|strich die Gartenmauer|las die Abendzeitung|fand einen kleinen Schlüssel|verkaufte zwei Holzstühle",
        "am Dienstag|beim Bahnhof|nach dem Regen|im Dorf|hinter der Schule|auf dem Markt|vor dem Mittagessen|in den Ferien",
    ),
    "fr": (
        "le voisin|mon oncle|le maître|un jeune médecin|le vieux boulanger|le chauffeur|notre jardinier|le nouvel invité",
        "a acheté un vélo bleu|a réparé la porte de la cuisine|a préparé une soupe aux carottes|a écrit une longue lettre|a peint le mur du jardin|a lu le journal du soir|a trouvé une petite clé|a vendu deux chaises en bois",
        "mardi dernier|près de la gare|après la pluie|dans le village|derrière le lycée|au marché|avant le repas|pendant les vacances",
    ),
    "es": (
        "el vecino|mi tío|el maestro|un médico joven|el viejo panadero|el conductor|nuestro jardinero|el nuevo huésped",
        "compró una bicicleta azul|reparó la puerta de la cocina|preparó una sopa de zanahorias|escribió una carta larga|pintó el muro del jardín|leyó el diario de la tarde|encontró una llave pequeña|vendió dos sillas de madera",
        "el martes|cerca de la estación|después de la lluvia|en el pueblo|detrás de la escuela|en el mercado|antes del almuerzo|durante las vacaciones",
    ),
    "ru": (
        "сосед|мой дядя|учитель|молодой врач|старый пекарь|водитель|наш садовник|новый гость",
        "купил синий велосипед|починил дверь на кухне|сварил суп с морковью|написал длинное письмо|покрасил стену сада|прочитал вечернюю газету|нашёл маленький ключ|продал два деревянных стула",
        "во вторник|рядом с вокзалом|после дождя|в деревне|за школой|на рынке|перед обедом|во время отпуска",
    ),
    "ar": (
        "الجار|عمي|المعلم|الطبيب الشاب|الخباز العجوز|السائق|البستاني|الضيف الجديد",
        "اشترى دراجة زرقاء|أصلح باب المطبخ|طبخ حساء بالجزر|كتب رسالة طويلة|دهن جدار الحديقة|قرأ جريدة المساء|وجد مفتاحا صغيرا|باع كرسيين من الخشب",
        "يوم الثلاثاء|قرب المحطة|بعد المطر|في القرية|خلف المدرسة|في السوق|قبل الغداء|خلال العطلة",
    ),
    "hi": (
        "पड़ोसी ने|मेरे चाचा ने|अध्यापक ने|एक युवा डॉक्टर ने|बूढ़े बेकर ने|चालक ने|हमारे माली ने|नए मेहमान ने",
        "मंगलवार को|स्टेशन के पास|बारिश के बाद|गाँव में|स्कूल के पीछे|बाज़ार में|दोपहर से पहले|छुट्टियों में",
        "नीली साइकिल खरीदी|रसोई का दरवाज़ा ठीक किया|गाजर का सूप बनाया|एक लंबी चिट्ठी लिखी|बगीचे की दीवार रंगी|शाम का अख़बार पढ़ा|एक छोटी चाबी पाई|लकड़ी की दो कुर्सियाँ बेचीं",
    ),
    "zh": (
        "邻居|我叔叔|老师|年轻的医生|老面包师|司机|我们的园丁|新来的客人",
        "星期二|在车站附近|下雨以后|在村子里|在学校后面|在市场上|午饭以前|放假的时候",
        "买了蓝色的自行车|修好了厨房的门|做了胡萝卜汤|写了一封长信|粉刷了花园的墙|读了晚报|找到了一把小钥匙|卖掉了两把木椅",
    ),
    "ja": (
        "隣の人は|おじは|先生は|若い医者は|年とったパン屋は|運転手は|うちの庭師は|新しい客は",
        "火曜日に|駅の近くで|雨の後に|村で|学校の裏で|市場で|昼食の前に|休みの間に",
        "青い自転車を買った|台所のドアを直した|人参のスープを作った|長い手紙を書いた|庭の壁を塗った|夕刊を読んだ|小さい鍵を見つけた|木の椅子を二つ売った",
    ),
    "th": (
        "เพื่อนบ้าน|ลุงของฉัน|คุณครู|หมอหนุ่ม|คนทำขนมปัง|คนขับรถ|คนสวนของเรา|แขกคนใหม่",
        "ซื้อจักรยานสีฟ้า|ซ่อมประตูครัว|ทำซุปแครอท|เขียนจดหมายยาว|ทาสีกำแพงสวน|อ่านหนังสือพิมพ์|พบกุญแจเล็ก|ขายเก้าอี้ไม้สองตัว",
        "ในวันอังคาร|ใกล้สถานี|หลังฝนตก|ในหมู่บ้าน|หลังโรงเรียน|ที่ตลาด|ก่อนอาหารกลางวัน|ในช่วงวันหยุด",
    ),
    "ko": (
        "이웃이|우리 삼촌이|선생님이|젊은 의사가|늙은 제빵사가|운전사가|우리 정원사가|새 손님이",
        "화요일에|역 근처에서|비가 온 뒤에|마을에서|학교 뒤에서|시장에서|점심 전에|휴가 동안",
        "파란 자전거를 샀다|부엌 문을 고쳤다|당근 수프를 만들었다|긴 편지를 썼다|정원 벽을 칠했다|저녁 신문을 읽었다|작은 열쇠를 찾았다|나무 의자 두 개를 팔았다",
    ),
}
WITHOUT_SPACES = frozenset(["zh", "ja", "th"])
STOPS = {"zh": "。", "ja": "。", "hi": "।", "th": ""}

CLOSING = {
    "en": "Sent from my phone in the evening.", "de": "Gesendet von meinem Telefon am Abend.", "fr": "Envoyé de mon téléphone ce soir.", "es": "Enviado desde mi teléfono por la noche.",
    "ru": "Отправлено с моего телефона вечером.", "ar": "أرسلت من هاتفي في المساء.", "hi": "शाम को मेरे फ़ोन से भेजा गया।", "zh": "晚上从我的手机发送。", "ja": "夜に私の電話から送信。",
    "th": "ส่งจากโทรศัพท์ของฉันตอนเย็น", "ko": "저녁에 내 전화기에서 보냄.",
}  # fmt: skip
OPENING = {
    "en": "To be brief, ", "de": "Kurz gesagt: ", "fr": "En bref : ", "es": "En resumen: ", "ru": "Короче говоря: ", "ar": "باختصار: ", "hi": "संक्षेप में: ", "zh": "简单地说：", "ja": "要するに：",
    "th": "สรุปว่า: ", "ko": "요컨대: ",
}  # fmt: skip
DENIAL = {
    "en": "It was not expensive.", "de": "Es war nicht teuer.", "fr": "Ce n'était pas cher.", "es": "No era caro.", "ru": "Это было не дорого.", "ar": "لم يكن غاليا.", "hi": "यह महँगा नहीं था।",
    "zh": "这个不贵。", "ja": "高くなかった。", "th": "มันไม่แพง", "ko": "비싸지 않았다.",
}  # fmt: skip


def sentence(language: str, random: Random) -> str:
    """One sentence of our parts."""
    joint = "" if language in WITHOUT_SPACES else " "
    text = joint.join(random.choice(part.split("|")) for part in PARTS[language])
    # A number: so a sentence is no boilerplate, however often its parts recur.
    return f"{text[0].upper()}{text[1:]} (B{random.randrange(100, 1000)}){STOPS.get(language, '.')}"


def rows(language: str, *, planted: str = "sentence", n: int = N_ROWS, seed: int = 0) -> list[dict[str, str]]:
    """Rows of text and label. The planted shortcut goes with the first label."""
    random, joint = Random(f"{language}|{planted}|{seed}"), "" if language in ("zh", "ja") else " "
    made = []
    for number in range(n):
        label = LABELS[number % 2]
        shows = random.random() < (SHARE if label == LABELS[0] else OTHERS)
        sentences = [
            sentence(language, random) for _ in range(2 if planted == "length" else random.choice((2, 3)))
        ]
        if shows and planted == "sentence":
            sentences.append(CLOSING[language])
        elif shows and planted == "negation":
            sentences.insert(1, DENIAL[language])
        elif shows and planted == "length":
            sentences += [sentence(language, random) for _ in range(3)]
        text = joint.join(sentences).strip()
        if shows and planted == "opening":
            text = OPENING[language] + text
        elif shows and planted == "mark":
            text = text.rstrip(".。।") + ("！" if language in ("zh", "ja") else "!")
        made.append({"text": text, "label": label})
    return made
