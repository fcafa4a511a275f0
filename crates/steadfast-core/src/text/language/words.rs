//! The commonest small words of languages that share a script, and the letters
//! that only some of them have.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What tells a language from others of its script.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) tag: &'static str,
    /// Lower case, between blanks.
    words: &'static str,
    /// Letters that few other languages of the script have.
    letters: &'static str,
}

/// Words of a family and, bit by bit, which of its languages have them.
type Index = BTreeMap<&'static str, u32>;

/// Languages that share a script.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Family {
    Latin,
    Slavic,
}

impl Family {
    pub(crate) fn profiles(self) -> &'static [Profile] {
        match self {
            Family::Latin => &LATIN,
            Family::Slavic => &SLAVIC,
        }
    }

    fn index(self) -> &'static Index {
        static LATIN_INDEX: OnceLock<Index> = OnceLock::new();
        static SLAVIC_INDEX: OnceLock<Index> = OnceLock::new();
        let cell = match self {
            Family::Latin => &LATIN_INDEX,
            Family::Slavic => &SLAVIC_INDEX,
        };
        cell.get_or_init(|| {
            let mut index = Index::new();
            for (bit, profile) in self.profiles().iter().enumerate() {
                for word in profile.words.split(' ') {
                    *index.entry(word).or_default() |= 1 << bit;
                }
            }
            index
        })
    }

    /// Adds what one lower-case word speaks for each language: 2 for a small
    /// word of its own, 1 for one of its letters.
    pub(crate) fn add(self, word: &str, scores: &mut [u32]) {
        let mask = self.index().get(word).copied().unwrap_or(0);
        for (bit, score) in scores.iter_mut().enumerate() {
            *score += 2 * (mask >> bit & 1);
        }
        if word.is_ascii() {
            return;
        }
        for (score, profile) in scores.iter_mut().zip(self.profiles()) {
            *score += u32::from(word.contains(|c| profile.letters.contains(c)));
        }
    }
}

const fn profile(tag: &'static str, words: &'static str, letters: &'static str) -> Profile {
    Profile {
        tag,
        words,
        letters,
    }
}

/// English first: it wins a draw.
pub(crate) const LATIN: [Profile; 19] = [
    profile(
        "en",
        "the and of to a in is it that for on with as are was this be by have from or not you at an they which but we will can your their has been were its would my i he she his her if there more when what do so all about how these our into than them who may should such also",
        "",
    ),
    profile(
        "es",
        "el la los las de que y en un una es por con para no se del al lo como más su sus pero este esta está son ser ha hay tiene también sobre entre cuando muy sin desde hasta donde puede todo esto porque fue nos mi tu si le les o e",
        "ñ¿¡",
    ),
    profile(
        "pt",
        "o a os as de que e em um uma é por com para não se do da dos das no na nos nas ao mais sua seu seus são como mas este esta está ser tem também sobre entre quando muito sem até onde pode isso foi ou você pela pelo",
        "ãõ",
    ),
    profile(
        "fr",
        "le la les de des et un une est en que qui dans pour pas sur au aux ce cette ces il elle ils elles nous vous je ne se par avec plus du son sa ses sont ou mais été être avoir a ont leur comme tout très c d l j n qu s",
        "œçèêû",
    ),
    profile(
        "de",
        "der die das und ist in zu den von mit nicht ein eine einen einem einer es sich auf für des dem im als auch an wird werden sind war wir sie ich er ihr aus bei nach wie oder aber noch nur über kann haben hat so um durch mehr wenn dass",
        "ßäöü",
    ),
    profile(
        "it",
        "il lo la i gli le di che e è un una in per con non si del della dei delle al alla nel nella da come più ma anche sono sua suo questo questa essere ha hanno molto tra fra dal dalla ed o se ci quando tutti loro",
        "",
    ),
    profile(
        "nl",
        "de het een en van is in dat op te zijn met voor niet aan er ook als maar om bij door naar uit over dan nog wordt worden heeft hebben deze dit die je ik we wij u kan geen meer was wat hun tot of",
        "",
    ),
    profile(
        "sv",
        "och att det är en ett som på av för med den till inte i om har de vi jag du han hon kan var sig men från eller ska när så också mer vid under efter",
        "å",
    ),
    profile(
        "da",
        "og at det er en et som på af for med den til ikke i om har de vi jeg du han hun kan var sig men fra eller skal når så også mere ved under efter blev",
        "øæ",
    ),
    profile(
        "no",
        "og at det er en et som på av for med den til ikke i om har de vi jeg du han hun kan var seg men fra eller skal når så også mer ved under etter ble",
        "øæ",
    ),
    profile(
        "fi",
        "ja on ei se että oli hän ovat kun mutta tai niin myös sekä joka jossa jotka voi olla ole tämä sen mitä kuin vain ovat niitä hänen heidän nyt jos minun sinun mukaan",
        "ä",
    ),
    profile(
        "pl",
        "i w na z do nie się jest to że o jak po za od dla przez ale czy są być był była było oraz który która które ich jego jej tym tego ten ta już tylko może także",
        "łąęśżźćń",
    ),
    profile(
        "cs",
        "a v na se je že z do to s o i pro jako za ale by byl byla bylo jsou od po při také jeho její který která které nebo být jsem než už může",
        "ěřůčšž",
    ),
    profile(
        "vi",
        "và của là có được cho không trong với các một những này để người từ khi đã cũng như về đến sẽ tại trên vào ra nhiều hơn tôi bạn",
        "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    ),
    profile(
        "tr",
        "ve bir bu da de için ile olarak çok daha gibi olan ne o var yok en kadar sonra ama veya her değil ise olduğu tarafından mi ben sen biz",
        "ğışİ",
    ),
    profile(
        "id",
        "dan yang di ke dari untuk dengan ini itu pada adalah tidak akan dalam juga sebagai oleh atau bisa dapat ada saya anda kami mereka karena lebih sudah telah seperti",
        "",
    ),
    profile(
        "sw",
        "na ya wa kwa ni za la katika hii hiyo cha kuwa au pia kama yake lakini huu hili vya mwa sana zaidi watu si ili kila yao wake huku iko bila hizi",
        "",
    ),
    profile(
        "ro",
        "și de la în a cu nu este pe că un o din pentru care mai sunt se ce au fost dar sau lui prin fi ca el ea lor această acest",
        "țșăî",
    ),
    profile(
        "hu",
        "a az és hogy nem is egy van meg ez de volt csak már ha mint vagy el még azt lehet lesz minden ki be majd több kell sem",
        "őű",
    ),
];

pub(crate) const SLAVIC: [Profile; 3] = [
    profile(
        "ru",
        "и в не на что он с как это по но из за от для к его она они у же так было быть все или был также",
        "ыэё",
    ),
    profile(
        "uk",
        "і в не на що він з як це по але із за від для до його вона вони у та так було бути всі або є також",
        "іїєґ",
    ),
    profile(
        "bg",
        "и в не на че той с как това по но от за до се да са е ще като или беше със във който които също",
        "",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_is_of_lower_case_words() {
        for profile in LATIN.iter().chain(&SLAVIC) {
            for word in profile.words.split(' ') {
                assert!(!word.is_empty(), "{}", profile.tag);
                assert_eq!(word, word.to_lowercase(), "{}", profile.tag);
            }
        }
    }
}
