/**
 * Yes and no in the languages of Unicode's CLDR 48.2.0, without single letters, and without words that mean yes in
 * one language and no in another. Written by `UPDATE_DOCS=1 npx jest test/unit/domain/yesNoWords.test.ts`.
 */
export const YES_WORDS =
	'ande|ano|ayyo|bai|bɛ́ɛ̀ni|bẹ́ẹ̀ni|có|ee|ee bono|eego|eeh|eey|ego|eja|elo|ena|eny|enya|erê|evet|eye|eyo|eẽ|gea|ha|haa|haj|haw|hawa|haya|hoi|hongu|huwo|hə|hɨɨ|hỹ|ie|igen|ih|iin|iva|iyee|ja|jah|jes|joh|joo|já|jā|kyllä|lon|ndiyo|neja|oho|oo|oui|owé|po|se|si|sim|sin|sì|sí|taip|tha|tá|tēp|waaw|wei|wi|ya|yaŋ|ye|yebo|yee|yeh|yes|yiw|yoh|yyih|yẹs|áno|èè|íyo|îi|òo|āe|ĩĩ|ŋ̀ŋ̂|ɔwɔ|ɔ́ŋ|ɛ́|ɛ́ɛ́ɛ|ɣää|ʻio|ναί|ναι|да|иә|ооба|сөп|так|тийм|уойы|эйе|ҫапла|ҳа|әйе|այո|כן|ءيا|آری|بله|نعم|هأری|ها|هان|هاو|هو|ھەئە|ہاں|ܗܐ|आम्|नंगौ|हं|हय|हा|हाँ|हां|हो|होय|য়েস|হয়|হ্যাঁ|ਹਾਂ|હા|ହଁ|ஆம்|అవును|ಹೌದು|ഉവ്വ്|ඔව්|ใช่|ཡིན།|ཨིན་|კი|አዎን|እወ|ᐁᐦᐁ|ចាស|បាទ|ᠲᠡᠢᠢᠮᠣ|ᱦᱚᱸᱺᱦ|ⵢⵢⵉⵀ|はい|係|是|确定|系|ꭵꭵ|예|𐐷𐐯𐑅|𐑘𐑧𐑕|𑄃𑄳𑄦𑄨|𞤢𞤱𞤢';

export const NO_WORDS =
	'a a|achicha|aiee|akin’tuna|ala|alaa|ao|apaana|arĩ|awe|ayi|aákó|aʼa|be|bɛ́ɛ̀kɔ́|bẹ́ẹ̀kọ́|ca|cha|chan eil|daabi|dave|dili|doo|déedet|ei|ez|hai|hani|hapana|hatshi|hayir|hindi|hî-î|hǎe|ideg|ka|kala|ket|không|kpele|kuju|kwete|kāo|kɛ́m|le|maya|mba|mbai|nanga|nara|ndaali|ne|nedda|nee|nei|nein|nej|nem|ngaaha|nie|nkhabe|no|non|nono|nu|nzúl|não|nãu|nä|näh|näi|nää|níl|nò|nē|ně|ora|ote|oya|sio ewo|teu|tidak|to|tsia|tũ|tɔ̀|tɛgɛ|tɛ̂|tʉkʉ|uhu|yaya|yox|yo‘q|á’ā|én-en|ëëy|ýok|ŋgáŋ|ũbaá|ʻikai|όχι|жок|жоқ|йўқ|не|нет|ні|нӕйы|суох|юк|юҡ|ҫук|үгүй|ոչ|לא|جوق|خیر|لا|نه|نَہ|نہيں|نہیں|ياق|ܠܐ|नङा|नहि|नहीं|ना|नाही|नेईं|होइन|নহয়|না|নো|ਨਹੀਂ|નહીં|ନା|இல்லை|వద్దు|ಇಲ್ಲ|അല്ല|නැත|ไม่ใช่|མིན།|མེན་|არა|አይ|ኣይፋልን|ᓇᒨᓇ|ទេ|ᠥᠬᠡᠢ|ᱵᱟᱝᱺᱵ|ὄχι|ⵓⵀⵓ|いいえ|否|否定|唔係|唔系|ꀋꉬ|ꔉꔒ|ꭵꮭ|아니요|𐑌𐐬|𐑯𐑴|𞤮𞥅𞤮';
