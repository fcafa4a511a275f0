//! Which addresses a request may go to.
//!
//! A name is resolved here and only here: the connector gets the very addresses
//! that were looked at, so that a name cannot answer differently between the
//! look and the connection. Addresses written as numbers never reach a resolver
//! and are looked at by [`Rules::admits`] before each request.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use steadfast_core::limits;

/// Asks for the addresses of a name.
pub trait Lookup: Send + Sync {
    fn addresses(&self, host: &str) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn addresses(&self, host: &str) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// An address that the rules do not admit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::skill) struct Refused {
    host: String,
    address: IpAddr,
    kind: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused {
            host,
            address,
            kind,
        } = self;
        if *host == address.to_string() {
            write!(f, "`{host}` is a {kind} address")?;
        } else {
            write!(f, "`{host}` is at the {kind} address `{address}`")?;
        }
        write!(f, ", and `private_hosts` does not name it")
    }
}

impl std::error::Error for Refused {}

/// Hosts that may lie at private addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::skill) struct Rules {
    private_hosts: BTreeSet<String>,
}

impl Rules {
    pub(in crate::skill) fn new(private_hosts: &[String]) -> Rules {
        Rules {
            private_hosts: private_hosts.iter().map(|host| bare(host)).collect(),
        }
    }

    /// Whether a URL's host, where it is written as a number, may be asked.
    pub(in crate::skill) fn admits(&self, url: &Url) -> Result<(), Refused> {
        let host = url.host_str().unwrap_or_default();
        match bare(host).parse::<IpAddr>() {
            Ok(address) => self.judge(host, address),
            Err(_) => Ok(()),
        }
    }

    fn judge(&self, host: &str, address: IpAddr) -> Result<(), Refused> {
        match kind(address) {
            Some(kind) if !self.private_hosts.contains(&bare(host)) => Err(Refused {
                host: bare(host),
                address,
                kind,
            }),
            _ => Ok(()),
        }
    }
}

/// A host as it is compared: lower case, no brackets, no dot at the end.
pub(super) fn bare(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// The host of a URL, with its port where that is not the scheme's usual one.
pub(super) fn place(url: &Url) -> String {
    let host = bare(url.host_str().unwrap_or_default());
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

/// The resolver that the HTTP client uses.
pub(in crate::skill) struct Guarded {
    pub(in crate::skill) rules: Rules,
    pub(in crate::skill) lookup: Arc<dyn Lookup>,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lookup.addresses(name.as_str());
        let rules = self.rules.clone();
        Box::pin(async move {
            let mut addresses = found.await?;
            addresses.truncate(limits::HTTP_ADDRESSES_MAX);
            // One bad address spoils the name: it could be the one that is taken.
            for address in &addresses {
                rules.judge(name.as_str(), *address)?;
            }
            // The port is the URL's; 0 stands for that.
            let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}

/// What keeps an address from being reached through the public internet; none
/// for public ones. The ranges are those of the IANA special-purpose registries
/// that are not globally reachable, and addresses that carry another inside.
pub(super) fn kind(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => kind_v4(v4),
        IpAddr::V6(v6) => kind_v6(v6),
    }
}

fn kind_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (0, ..) => Some("unspecified"),
        (127, ..) => Some("loopback"),
        (169, 254, _) => Some("link-local"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Some("private"),
        (100, 64..=127, _) => Some("carrier-shared"),
        (192, 0, 0) | (198, 18..=19, _) => Some("reserved"),
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => Some("documentation"),
        (224..=239, ..) => Some("multicast"),
        (240.., ..) => Some("reserved"),
        _ => None,
    }
}

fn kind_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        kind_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("unspecified"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("loopback"),
        // IPv4-mapped, IPv4-compatible, NAT64, 6to4: judged by what is inside.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            embedded(high, low)
        }
        [0x2002, high, low, ..] => embedded(high, low),
        [0x64, 0xff9b, 1, ..] => Some("private"),
        [0x2001, 0, ..] => Some("tunnel"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("documentation"),
        [0x100, 0, 0, 0, ..] => Some("reserved"),
        [first, ..] => match first {
            0xfc00..=0xfdff => Some("private"),
            0xfe80..=0xfebf => Some("link-local"),
            0xfec0..=0xfeff => Some("private"),
            0xff00.. => Some("multicast"),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> Option<&'static str> {
        kind(address.parse().unwrap())
    }

    #[test]
    fn every_way_to_write_an_inner_address_is_known() {
        for (address, expected) in [
            ("127.0.0.1", "loopback"),
            ("127.255.1.1", "loopback"),
            ("0.0.0.0", "unspecified"),
            ("10.1.2.3", "private"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("169.254.169.254", "link-local"),
            ("100.64.0.1", "carrier-shared"),
            ("198.18.0.1", "reserved"),
            ("224.0.0.1", "multicast"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::127.0.0.1", "loopback"),
            ("::ffff:169.254.169.254", "link-local"),
            ("64:ff9b::a00:1", "private"),
            ("2002:7f00:1::", "loopback"),
            ("2001:0:53aa::1", "tunnel"),
            ("fd00:ec2::254", "private"),
            ("fe80::1", "link-local"),
            ("ff02::1", "multicast"),
        ] {
            assert_eq!(of(address), Some(expected), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_free() {
        for address in [
            "1.1.1.1",
            "172.32.0.1",
            "172.15.0.1",
            "100.128.0.1",
            "169.253.0.1",
            "192.0.1.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert_eq!(of(address), None, "{address}");
        }
    }

    #[test]
    fn a_host_is_named_in_any_spelling() {
        let rules = Rules::new(&["LOCALHOST.".to_owned(), "::1".to_owned()]);
        let loopback = "127.0.0.1".parse().unwrap();
        assert_eq!(rules.judge("localhost", loopback), Ok(()));
        let url = Url::parse("http://[::1]:80/").unwrap();
        assert_eq!(rules.admits(&url), Ok(()));
        // A short form is the same address; the URL reader writes it out.
        let url = Url::parse("http://127.1/").unwrap();
        let refused = rules.admits(&url).unwrap_err().to_string();
        assert_eq!(
            refused,
            "`127.0.0.1` is a loopback address, and `private_hosts` does not name it"
        );
    }
}
