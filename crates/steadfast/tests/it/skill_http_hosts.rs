//! HTTP skills: who may be asked, whatever a server or a name server says.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use serde_json::{Value, json};
use steadfast::skill::http::Lookup;
use steadfast::skill::{HttpSkill, Skill, SkillError};
use steadfast_core::event::skill::SkillFailure::{NotStarted, Reported};
use steadfast_core::workflow::spec::EffectClass::{self, Irreversible, Read};
use wiremock::matchers::{any, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::skill_calls::call;
use crate::skill_http::{failed, skill, skill_spec};

/// A name server of one's own: each look at any name takes the next answer, the
/// last for good.
struct Names {
    answers: Vec<Vec<&'static str>>,
    asked: AtomicUsize,
}

impl Names {
    fn new(answers: &[&[&'static str]]) -> Arc<Names> {
        Arc::new(Names {
            answers: answers.iter().map(|one| one.to_vec()).collect(),
            asked: AtomicUsize::new(0),
        })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Lookup for Names {
    fn addresses(&self, _host: &str) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        let at = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = &self.answers[at.min(self.answers.len() - 1)];
        let answer = answer.iter().map(|one| one.parse().unwrap()).collect();
        Box::pin(async move { Ok(answer) })
    }
}

fn named(effect: EffectClass, config: Value, names: &Arc<Names>) -> HttpSkill {
    let spec = skill_spec(effect, config);
    HttpSkill::with_lookup("api".into(), spec, Path::new("."), names.clone()).unwrap()
}

async fn run(skill: &HttpSkill) -> Result<Value, SkillError> {
    skill.call(&call(json!({}))).await
}

async fn ok_server() -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({ "ok": true }));
    Mock::given(path("/ok"))
        .respond_with(answer)
        .mount(&server)
        .await;
    server
}

async fn redirect(server: &MockServer, from: &str, status: u16, to: &str) {
    let answer = ResponseTemplate::new(status).insert_header("location", to);
    Mock::given(path(from))
        .respond_with(answer)
        .mount(server)
        .await;
}

#[tokio::test]
async fn a_name_at_an_inner_address_is_refused_before_a_connection() {
    let server = ok_server().await;
    let port = server.address().port();
    for (answers, kind) in [
        (&["127.0.0.1"][..], "loopback address `127.0.0.1`"),
        (&["::1"][..], "loopback address `::1`"),
        (
            &["169.254.169.254"][..],
            "link-local address `169.254.169.254`",
        ),
        (&["10.0.0.8"][..], "private address `10.0.0.8`"),
        (
            &["::ffff:127.0.0.1"][..],
            "loopback address `::ffff:127.0.0.1`",
        ),
        // One bad address among good ones spoils the name.
        (
            &["93.184.216.34", "127.0.0.1"][..],
            "loopback address `127.0.0.1`",
        ),
    ] {
        let names = Names::new(&[answers]);
        let config = json!({
            "method": "POST", "url": format!("http://inner.example:{port}/ok"), "private_hosts": [],
        });
        let expected = format!(
            "`api`: `inner.example` is at the {kind}, and `private_hosts` does not name it"
        );
        assert_eq!(
            failed(run(&named(Irreversible, config, &names)).await),
            (Reported, expected)
        );
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
}

/// The machine's own resolver, no stand-in.
#[tokio::test]
async fn localhost_is_refused_unless_it_is_named() {
    let server = ok_server().await;
    let url = format!("http://localhost:{}/ok", server.address().port());
    let config = |hosts: &[&str]| json!({ "method": "GET", "url": url, "private_hosts": hosts });
    let (class, message) = failed(run(&skill(Read, config(&[]))).await);
    assert_eq!(class, Reported);
    assert!(
        message.starts_with("`api`: `localhost` is at the loopback address"),
        "{message}"
    );
    assert_eq!(
        run(&skill(Read, config(&["localhost"]))).await,
        Ok(json!({ "ok": true }))
    );
}

/// Rebinding: the answer that was looked at is the one that is connected to.
/// A second answer, for an address that is refused, is never asked for.
#[tokio::test]
async fn a_name_is_resolved_once_and_pinned() {
    let server = ok_server().await;
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.9"]]);
    let config = json!({
        "method": "GET",
        "url": format!("http://a.example:{}/ok", server.address().port()),
        "private_hosts": ["a.example"],
    });
    let skill = named(Read, config, &names);
    assert_eq!(run(&skill).await, Ok(json!({ "ok": true })));
    assert_eq!(names.asked(), 1);
    // The next call looks again, and gets what the name says then.
    assert_eq!(failed(run(&skill).await).0, NotStarted);
    assert_eq!(names.asked(), 2);
}

#[tokio::test]
async fn redirects_are_followed_on_the_same_host_only() {
    let server = ok_server().await;
    let other = ok_server().await;
    let (own, foreign) = (server.uri(), other.uri());
    redirect(&server, "/relative", 302, "/ok").await;
    redirect(&server, "/absolute", 308, &format!("{own}/ok")).await;
    redirect(&server, "/foreign", 302, &format!("{foreign}/ok")).await;
    redirect(&server, "/file", 302, "file:///etc/passwd").await;
    redirect(
        &server,
        "/metadata",
        302,
        "http://169.254.169.254/latest/meta-data/",
    )
    .await;
    redirect(
        &server,
        "/userinfo",
        302,
        &format!("{}/ok", own.replace("//", "//127.0.0.1@")),
    )
    .await;
    redirect(&server, "/loop", 302, "/loop").await;
    let get = async |at: &str, more: Value| {
        let mut config = json!({ "method": "GET", "url": format!("{own}{at}") });
        config
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        run(&skill(Read, config)).await
    };
    let none = || json!({});
    assert_eq!(get("/relative", none()).await, Ok(json!({ "ok": true })));
    assert_eq!(get("/absolute", none()).await, Ok(json!({ "ok": true })));
    for at in ["/foreign", "/file", "/metadata", "/userinfo"] {
        let (class, message) = failed(get(at, none()).await);
        assert_eq!(class, Reported);
        assert!(
            message.contains("neither the host of the template"),
            "{at}: {message}"
        );
    }
    assert_eq!(
        failed(get("/loop", none()).await),
        (Reported, "`api`: more than 5 redirects".to_owned())
    );
    assert_eq!(other.received_requests().await.unwrap().len(), 0);

    let place = foreign.trim_start_matches("http://");
    assert_eq!(
        get("/foreign", json!({ "redirect_hosts": [place] })).await,
        Ok(json!({ "ok": true }))
    );
    // Naming a host as a target of redirects does not open its inner address.
    let (class, message) = failed(
        get(
            "/metadata",
            json!({ "redirect_hosts": ["169.254.169.254"] }),
        )
        .await,
    );
    assert_eq!(
        (class, message.as_str()),
        (
            Reported,
            "`api`: `169.254.169.254` is a link-local address, and `private_hosts` does not name it"
        )
    );
}

/// A host of the list whose name leads inside is refused at the second hop.
#[tokio::test]
async fn a_redirect_to_a_name_at_an_inner_address_is_refused() {
    let server = ok_server().await;
    let port = server.address().port();
    redirect(&server, "/go", 302, &format!("http://b.example:{port}/ok")).await;
    let names = Names::new(&[&["127.0.0.1"]]);
    let config = json!({
        "method": "GET", "url": format!("http://a.example:{port}/go"),
        "private_hosts": ["a.example"], "redirect_hosts": ["*.example", format!("b.example:{port}")],
    });
    assert_eq!(
        failed(run(&named(Read, config, &names)).await),
        (
            Reported,
            "`api`: `b.example` is at the loopback address `127.0.0.1`, and `private_hosts` does \
             not name it"
                .to_owned()
        )
    );
}

#[tokio::test]
async fn headers_and_secrets_stay_with_the_host_they_were_meant_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "sk-1").unwrap();
    let (server, other) = (ok_server().await, ok_server().await);
    redirect(&server, "/own", 302, "/ok").await;
    redirect(&server, "/foreign", 302, &format!("{}/ok", other.uri())).await;
    for at in ["/own", "/foreign"] {
        let config = json!({
            "method": "GET", "url": format!("{}{at}", server.uri()),
            "headers": { "Authorization": { "secret": "file:token" }, "X-Note": "n" },
            "redirect_hosts": [other.uri().trim_start_matches("http://")],
        });
        let skill = HttpSkill::new("api".into(), skill_spec(Read, config), folder.path()).unwrap();
        assert_eq!(run(&skill).await, Ok(json!({ "ok": true })));
    }
    let sent = |requests: Vec<wiremock::Request>| {
        let last = requests
            .into_iter()
            .rfind(|one| one.url.path() == "/ok")
            .unwrap();
        (
            last.headers.contains_key("authorization"),
            last.headers.contains_key("x-note"),
        )
    };
    assert_eq!(
        sent(server.received_requests().await.unwrap()),
        (true, true)
    );
    assert_eq!(
        sent(other.received_requests().await.unwrap()),
        (false, false)
    );
}

/// 303 after a deed says that it may be done; it is not followed, and the deed
/// is not sent to where it points. 307 repeats the deed on the same host.
#[tokio::test]
async fn a_deed_is_not_carried_along_by_redirects() {
    let server = ok_server().await;
    redirect(&server, "/see", 303, "/ok").await;
    redirect(&server, "/moved", 307, "/taken").await;
    let taken = ResponseTemplate::new(201).set_body_json(json!({ "id": 1 }));
    Mock::given(path("/taken"))
        .respond_with(taken)
        .mount(&server)
        .await;
    let post = async |at: &str| {
        let config = json!({
            "method": "POST", "url": format!("{}{at}", server.uri()), "json": { "a": 1 },
        });
        run(&skill(Irreversible, config)).await
    };
    assert_eq!(
        failed(post("/see").await).0,
        steadfast_core::event::skill::SkillFailure::Lost
    );
    assert_eq!(post("/moved").await, Ok(json!({ "id": 1 })));
    let seen: Vec<String> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                one.method,
                one.url.path(),
                String::from_utf8_lossy(&one.body)
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            "POST /see {\"a\":1}",
            "POST /moved {\"a\":1}",
            "POST /taken {\"a\":1}"
        ]
    );
}

/// The proxies of the environment are not used: they would resolve the name.
#[tokio::test]
async fn bodies_and_hosts_do_not_depend_on_what_answers() {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_string("plain"))
        .mount(&server)
        .await;
    let config = json!({ "method": "GET", "url": server.uri(), "expect": "json" });
    let (class, message) = failed(run(&skill(Read, config)).await);
    assert_eq!(class, Reported);
    assert_eq!(message, "`api`: the response is of type `text/plain`");
}
