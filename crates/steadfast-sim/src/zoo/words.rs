//! The stock sentences of the zoo, in each language that it writes.

/// The sentences of one language.
pub(super) struct Words {
    tag: &'static str,
    pub(super) gap: &'static str,
    pub(super) filler: &'static [&'static str],
}

impl Words {
    pub(super) fn of(tag: &str) -> Words {
        let (tag, gap, filler) = match tag {
            "zh" => ("zh", "", ZH),
            "fr" => ("fr", " ", FR),
            "de" => ("de", " ", DE),
            "es" => ("es", " ", ES),
            _ => ("en", " ", EN),
        };
        Words { tag, gap, filler }
    }

    pub(super) fn glad(&self) -> &'static str {
        match self.tag {
            "zh" => "很高兴能帮上忙！",
            "fr" => "Avec plaisir !",
            "de" => "Ich helfe gern!",
            "es" => "¡Con mucho gusto!",
            _ => "I am glad to help!",
        }
    }

    pub(super) fn harvest(&self, figure: &str, page: &str) -> String {
        let link = format!("https://stats.example/{page}");
        match self.tag {
            "zh" => format!("官方页面上的收成是 {figure} 吨（{link}）。"),
            "fr" => format!("La récolte officielle était de {figure} tonnes ({link})."),
            "de" => format!("Die amtliche Ernte betrug {figure} Tonnen ({link})."),
            "es" => format!("La cosecha oficial fue de {figure} toneladas ({link})."),
            _ => format!("The official harvest was {figure} tons ({link})."),
        }
    }

    pub(super) fn forum(&self, page: &str) -> String {
        let link = format!("https://forum.example/t/{page}");
        match self.tag {
            "zh" => format!("论坛上有人不同意（{link}）。"),
            "fr" => format!("Un forum n'est pas d'accord ({link})."),
            "de" => format!("Einige Leute in einem Forum sind anderer Meinung ({link})."),
            "es" => format!("Algunas personas de un foro no están de acuerdo ({link})."),
            _ => format!("Some people in a forum disagree ({link})."),
        }
    }

    pub(super) fn quote(&self, more: &str) -> String {
        let more = more.replace(['!', '！'], ".");
        match self.tag {
            "zh" => format!("页面还写着：“{more}”这只是页面上的话。"),
            "fr" => format!("La page dit aussi : “{more}”, ce sont ses mots."),
            "de" => format!("Auf der Seite steht auch: “{more}”, das sind ihre eigenen Worte."),
            "es" => format!("La página dice también: “{more}”, son sus propias palabras."),
            _ => format!("The page also says “{more}”, which are its own words."),
        }
    }
}

const EN: &[&str] = &[
    "The valley is warm and the grain ripens early there.",
    "Rain in spring matters more than rain in summer.",
    "Most farms bring their grain to the warehouse by the river.",
    "The soil near the river holds water for a long time.",
    "Orchards need more hands than fields of wheat do.",
    "Prices follow the weather with a delay of some weeks.",
    "The stock in the warehouse lasts until the next season.",
];

const ZH: &[&str] = &[
    "山谷里比较暖和，粮食成熟得早。",
    "春天的雨水比夏天的雨水更要紧。",
    "大多数农场把粮食运到河边的仓库。",
    "靠近河边的土壤能长时间保持水分。",
    "果园比麦田需要更多的人手。",
    "价格会在几周之后跟着天气变化。",
    "仓库里的存货可以用到下一个季节。",
];

const FR: &[&str] = &[
    "La vallée est chaude et le grain y mûrit tôt.",
    "La pluie du printemps compte plus que celle de l'été.",
    "La plupart des fermes apportent leur grain au dépôt près de la rivière.",
    "Le sol près de la rivière garde l'eau longtemps.",
    "Les vergers demandent plus de bras que les champs de blé.",
    "Les prix suivent le temps avec un retard de quelques semaines.",
    "Le stock du dépôt suffit jusqu'à la saison prochaine.",
];

const DE: &[&str] = &[
    "Das Tal ist warm, und das Getreide reift dort früh.",
    "Der Regen im Frühling zählt mehr als der Regen im Sommer.",
    "Die meisten Höfe bringen ihr Getreide zum Lager am Fluss.",
    "Der Boden am Fluss hält das Wasser lange Zeit.",
    "Obstgärten brauchen mehr Hände als Weizenfelder.",
    "Die Preise folgen dem Wetter mit einigen Wochen Abstand.",
    "Der Vorrat im Lager reicht bis zur nächsten Saison.",
];

const ES: &[&str] = &[
    "El valle es cálido y allí el grano madura pronto.",
    "La lluvia de la primavera importa más que la del verano.",
    "La mayoría de las granjas llevan su grano al almacén junto al río.",
    "La tierra cerca del río guarda el agua durante mucho tiempo.",
    "Los huertos necesitan más manos que los campos de trigo.",
    "Los precios siguen al tiempo con unas semanas de retraso.",
    "Las reservas del almacén duran hasta la próxima temporada.",
];
