"""Sentences of our own in nine languages in Latin script, as reviews, claims and remarks have them: short ones, colloquial
ones, and some with words that English has, too ("super", "hotel", "film")."""

FOREIGN = {
    "tr": """
Film super, oyuncular harikaydı 4.
Sonu çok iyi.
Yemekler soğuktu ama garson kibardı.
Tren saat dokuzda kalktı.
Çocuklar parkta top oynuyor.
Telefonun bataryası bir gün bile dayanmıyor.
Köpek karda koşuyor.
Kargo üç gün gecikti.
Kadın kırmızı bir şapka takıyor.
Manzara muhteşem, kahvaltı kötü.
Yazar 1950 yılında İzmir'de doğdu.
Süper bir otel, personel çok ilgili.
Maç berabere bitti.
Hediye olarak aldım, annem bayıldı.
Konser iptal edildi.
""",
    "vi": """
Bộ phim super, diễn viên tuyệt vời.
Phim hay quá.
Tôi sẽ không quay lại đây.
Cuốn sách này rất nhàm chán.
Điện thoại nhanh hết pin.
Con chó chạy trên tuyết.
Giao hàng trễ ba ngày.
Cô gái đội mũ đỏ.
Cảnh đẹp, bữa sáng dở.
Ông ấy sinh năm 1950.
Nhân viên thân thiện, nhiệt tình.
Trận đấu kết thúc hòa.
Mua làm quà, mẹ tôi rất thích.
Buổi hòa nhạc bị hủy.
Trời mưa suốt cả tuần.
""",
    "pl": """
Film super, aktorzy świetni.
Film nudny 58. Hotel drogi 15.
Obsługa powolna, jedzenie zimne.
Pociąg odjechał o dziewiątej.
Dzieci grają w piłkę na podwórku.
Warszawa jest stolicą Polski.
Za taką cenę warto.
Scenariusz słaby, muzyka piękna.
Główny aktor wypadł sztucznie.
Lekarz uważnie mnie wysłuchał.
Polecam wszystkim.
Ekran jasny, dźwięk okropny.
Mężczyzna gra na gitarze.
Na początku ciekawie, potem nuda.
Strata czasu i pieniędzy.
""",
    "es": """
Película súper, los actores geniales.
Muy buena película.
No vuelvo nunca.
Qué libro tan aburrido.
La batería dura poco.
Un perro corre por la nieve.
El paquete llegó tres días tarde.
Una mujer lleva un sombrero rojo.
Vistas magníficas, desayuno pésimo.
El escritor nació en Sevilla.
Personal amable y atento.
El partido terminó en empate.
Lo compré de regalo y a mi madre le encantó.
Cancelaron el concierto.
Final sorprendente.
""",
    "it": """
Film super, attori bravissimi.
Gran bel film.
Non ci torno più.
Che libro noioso.
La batteria dura pochissimo.
Un cane corre nella neve.
Il pacco è arrivato tre giorni dopo.
Una donna porta un cappello rosso.
Vista magnifica, colazione pessima.
Lo scrittore nacque a Torino.
Personale gentile e disponibile.
La partita è finita in parità.
Comprato come regalo, mia madre lo adora.
Concerto annullato.
Pasta ottima, vino buono.
""",
    "de": """
Absolut super Film, tolle Schauspieler.
Altes Hotel, schlechte Zimmer.
toller film leider, super film
Toller Film.
Der Service war langsam, das Essen kalt.
Da gehe ich nie wieder hin.
Der Zug fuhr um neun ab.
Was für ein langweiliges Buch.
Kinder spielen im Hof Fußball.
Der Akku hält keinen Tag.
Berlin ist die Hauptstadt von Deutschland.
Ein Hund rennt durch den Schnee.
Für den Preis ganz ordentlich.
Das Paket kam drei Tage zu spät.
Schwaches Drehbuch, schöne Musik.
Eine Frau trägt einen roten Hut.
Der Hauptdarsteller wirkt hölzern.
Herrliche Aussicht, mieses Frühstück.
Die Ärztin hörte mir geduldig zu.
Der Dichter wurde in Wien geboren.
Klare Empfehlung.
Personal freundlich und hilfsbereit.
Heller Bildschirm, furchtbarer Ton.
Das Spiel endete unentschieden.
Ein Mann spielt Gitarre.
Als Geschenk gekauft, Mutter begeistert.
Anfangs gut, dann öde.
Das Konzert fiel aus.
Reine Zeitverschwendung.
Super Hotel, gerne wieder!
""",
    "fr": """
Film super, acteurs géniaux.
Très bon film.
Je n'y retournerai jamais.
Quel livre ennuyeux.
La batterie ne tient pas.
Un chien court dans la neige.
Le colis est arrivé trois jours trop tard.
Une femme porte un chapeau rouge.
Vue magnifique, petit déjeuner médiocre.
Cet écrivain est né à Lyon.
Personnel aimable et attentif.
Match nul.
Acheté en cadeau, ma mère adore.
Concert annulé.
Excellent restaurant, cuisine simple.
""",
    "nl": """
Film super, acteurs geweldig.
Hele goede film.
Hier kom ik nooit meer.
Wat een saai boek.
De batterij is snel leeg.
Een hond rent door de sneeuw.
Het pakje kwam drie dagen te laat.
Een vrouw draagt een rode hoed.
Prachtig uitzicht, matig ontbijt.
De schrijver werd in Gent geboren.
Vriendelijk personeel, fijne sfeer.
De wedstrijd eindigde gelijk.
Als cadeau gekocht, moeder blij.
Het concert ging niet door.
Top hotel, warm water, goed bed.
""",
    "pt": """
Filme super, atores ótimos.
Muito bom filme.
Nunca mais volto.
Que livro chato.
A bateria dura pouco.
Um cachorro corre na neve.
O pacote chegou três dias depois.
Uma mulher usa um chapéu vermelho.
Vista maravilhosa, café da manhã ruim.
O escritor nasceu no Porto.
Equipe simpática e atenciosa.
O jogo terminou empatado.
Comprei de presente, minha mãe adorou.
Show cancelado.
Final surpreendente.
""",
}
FOREIGN = {language: lines.strip().splitlines() for language, lines in FOREIGN.items()}
