"""Thirty sentences of our own in each of nine languages in Latin script, as reviews, claims and remarks have them: short ones, colloquial
ones, and some with words that English has, too ("super", "hotel", "film")."""

FOREIGN = {
    "tr": """
Film super, oyuncular harikaydı 4.
Otel temizdi, odalar genişti.
Sonu çok iyi.
Bence fena değil.
Yemekler soğuktu ama garson kibardı.
Bir daha asla gitmem.
Tren saat dokuzda kalktı.
Kitabı iki günde bitirdim.
Çocuklar parkta top oynuyor.
Senaryo zayıf, müzik güzel.
Telefonun bataryası bir gün bile dayanmıyor.
Ankara Türkiye'nin başkentidir.
Köpek karda koşuyor.
Bu fiyata daha iyisi yok.
Kargo üç gün gecikti.
Oyun sıkıcı ve pahalı.
Kadın kırmızı bir şapka takıyor.
Başrol oyuncusu hiç inandırıcı değildi.
Manzara muhteşem, kahvaltı kötü.
Doktor beni dikkatle dinledi.
Yazar 1950 yılında İzmir'de doğdu.
Herkese tavsiye ederim.
Süper bir otel, personel çok ilgili.
Ekran parlak, ses berbat.
Maç berabere bitti.
Adam gitar çalıyor.
Hediye olarak aldım, annem bayıldı.
İlk bölüm güzeldi, sonra sıkıldım.
Konser iptal edildi.
Kesinlikle paranızı harcamayın.
""",
    "vi": """
Bộ phim super, diễn viên tuyệt vời.
Khách sạn đẹp, phòng rộng.
Phim hay quá.
Phục vụ chậm và đồ ăn nguội.
Tôi sẽ không quay lại đây.
Tàu khởi hành lúc chín giờ.
Cuốn sách này rất nhàm chán.
Bọn trẻ chơi bóng ngoài sân.
Điện thoại nhanh hết pin.
Hà Nội là thủ đô của Việt Nam.
Con chó chạy trên tuyết.
Giá này thì quá tốt.
Giao hàng trễ ba ngày.
Kịch bản yếu, nhạc hay.
Cô gái đội mũ đỏ.
Nam chính diễn rất giả.
Cảnh đẹp, bữa sáng dở.
Bác sĩ lắng nghe tôi.
Ông ấy sinh năm 1950.
Rất đáng xem.
Nhân viên thân thiện, nhiệt tình.
Màn hình sáng, âm thanh tệ.
Trận đấu kết thúc hòa.
Người đàn ông đang chơi đàn.
Mua làm quà, mẹ tôi rất thích.
Nửa đầu hay, nửa sau chán.
Buổi hòa nhạc bị hủy.
Đừng phí tiền.
Trời mưa suốt cả tuần.
Chúng tôi ăn trưa ở chợ.
""",
    "pl": """
Film super, aktorzy świetni.
Hotel stary, pokoje brudne.
Film nudny 58. Hotel drogi 15.
Bardzo dobry film.
Obsługa powolna, jedzenie zimne.
Nigdy tam nie wrócę.
Pociąg odjechał o dziewiątej.
Ta książka jest nudna jak flaki z olejem.
Dzieci grają w piłkę na podwórku.
Telefon szybko się rozładowuje.
Warszawa jest stolicą Polski.
Pies biegnie po śniegu.
Za taką cenę warto.
Paczka przyszła trzy dni za późno.
Scenariusz słaby, muzyka piękna.
Kobieta nosi czerwony kapelusz.
Główny aktor wypadł sztucznie.
Widok wspaniały, śniadanie marne.
Lekarz uważnie mnie wysłuchał.
Pisarz urodził się w Krakowie.
Polecam wszystkim.
Personel miły i pomocny.
Ekran jasny, dźwięk okropny.
Mecz zakończył się remisem.
Mężczyzna gra na gitarze.
Kupiłam na prezent, mama zachwycona.
Na początku ciekawie, potem nuda.
Koncert odwołano.
Strata czasu i pieniędzy.
Dobra kawa, super ciasto.
""",
    "es": """
Película súper, los actores geniales.
Hotel viejo, habitaciones sucias.
Muy buena película.
Servicio lento y comida fría.
No vuelvo nunca.
El tren salió a las nueve.
Qué libro tan aburrido.
Los niños juegan en el parque.
La batería dura poco.
Madrid es la capital de España.
Un perro corre por la nieve.
Por ese precio no está mal.
El paquete llegó tres días tarde.
Guion flojo, música preciosa.
Una mujer lleva un sombrero rojo.
El protagonista no resulta creíble.
Vistas magníficas, desayuno pésimo.
La doctora me escuchó con atención.
El escritor nació en Sevilla.
Lo recomiendo a todos.
Personal amable y atento.
Pantalla brillante, sonido horrible.
El partido terminó en empate.
Un hombre toca la guitarra.
Lo compré de regalo y a mi madre le encantó.
Al principio bien, luego un rollo.
Cancelaron el concierto.
Una pérdida de tiempo total.
Final sorprendente.
Hotel ideal, piscina genial.
""",
    "it": """
Film super, attori bravissimi.
Albergo vecchio, camere sporche.
Gran bel film.
Servizio lento e cibo freddo.
Non ci torno più.
Il treno è partito alle nove.
Che libro noioso.
I bambini giocano a calcio in cortile.
La batteria dura pochissimo.
Roma è la capitale d'Italia.
Un cane corre nella neve.
A questo prezzo va bene.
Il pacco è arrivato tre giorni dopo.
Trama debole, musica splendida.
Una donna porta un cappello rosso.
Il protagonista non convince.
Vista magnifica, colazione pessima.
Il medico mi ha ascoltata con pazienza.
Lo scrittore nacque a Torino.
Lo consiglio a tutti.
Personale gentile e disponibile.
Schermo luminoso, audio orribile.
La partita è finita in parità.
Un uomo suona la chitarra.
Comprato come regalo, mia madre lo adora.
All'inizio bello, poi una noia.
Concerto annullato.
Una perdita di tempo.
Pasta ottima, vino buono.
Hotel in centro, comodo.
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
Hôtel vieux, chambres sales.
Très bon film.
Service lent et plats froids.
Je n'y retournerai jamais.
Le train est parti à neuf heures.
Quel livre ennuyeux.
Des enfants jouent au ballon dans la cour.
La batterie ne tient pas.
Paris est la capitale de la France.
Un chien court dans la neige.
Pour ce prix, rien à dire.
Le colis est arrivé trois jours trop tard.
Scénario faible, musique superbe.
Une femme porte un chapeau rouge.
Acteur principal peu crédible.
Vue magnifique, petit déjeuner médiocre.
Le médecin m'a bien écoutée.
Cet écrivain est né à Lyon.
Je recommande vivement.
Personnel aimable et attentif.
Écran lumineux, son horrible.
Match nul.
Un homme joue de la guitare.
Acheté en cadeau, ma mère adore.
Bien au début, lassant ensuite.
Concert annulé.
Une vraie perte de temps.
Excellent restaurant, cuisine simple.
Hôtel confortable, piscine propre.
""",
    "nl": """
Film super, acteurs geweldig.
Oud hotel, vieze kamers.
Hele goede film.
Trage bediening en koud eten.
Hier kom ik nooit meer.
De trein vertrok om negen uur.
Wat een saai boek.
Kinderen voetballen op het plein.
De batterij is snel leeg.
Amsterdam is de hoofdstad van Nederland.
Een hond rent door de sneeuw.
Voor die prijs prima.
Het pakje kwam drie dagen te laat.
Zwak verhaal, mooie muziek.
Een vrouw draagt een rode hoed.
De hoofdrolspeler is niet geloofwaardig.
Prachtig uitzicht, matig ontbijt.
De arts luisterde goed naar mij.
De schrijver werd in Gent geboren.
Echt een aanrader.
Vriendelijk personeel, fijne sfeer.
Helder scherm, slecht geluid.
De wedstrijd eindigde gelijk.
Een man speelt gitaar.
Als cadeau gekocht, moeder blij.
Begin goed, daarna saai.
Het concert ging niet door.
Zonde van je tijd.
Top hotel, warm water, goed bed.
Lekker eten, leuk team.
""",
    "pt": """
Filme super, atores ótimos.
Hotel velho, quartos sujos.
Muito bom filme.
Atendimento lento e comida fria.
Nunca mais volto.
O trem partiu às nove.
Que livro chato.
As crianças jogam bola no pátio.
A bateria dura pouco.
Lisboa é a capital de Portugal.
Um cachorro corre na neve.
Por esse preço vale a pena.
O pacote chegou três dias depois.
Roteiro fraco, música linda.
Uma mulher usa um chapéu vermelho.
O protagonista não convence.
Vista maravilhosa, café da manhã ruim.
A médica me ouviu com paciência.
O escritor nasceu no Porto.
Recomendo a todos.
Equipe simpática e atenciosa.
Tela brilhante, som horrível.
O jogo terminou empatado.
Um homem toca violão.
Comprei de presente, minha mãe adorou.
No começo bom, depois cansativo.
Show cancelado.
Perda total de tempo.
Final surpreendente.
Hotel central, piscina ótima.
""",
}
FOREIGN = {language: lines.strip().splitlines() for language, lines in FOREIGN.items()}
