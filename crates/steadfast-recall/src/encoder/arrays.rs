//! NumPy's array files: a ZIP archive of `.npy` members.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

/// One array, flat, rows one after the other.
#[derive(Debug)]
pub(super) enum Array {
    Bytes(Vec<u8>),
    Floats(Vec<f32>),
}

/// Bytes of all arrays together; the real file has 76 MB.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Reads all arrays by name, without `.npy`.
pub(super) fn read(file: &[u8]) -> Result<BTreeMap<String, Array>, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).map_err(|e| e.to_string())?;
    let mut arrays = BTreeMap::new();
    let mut room = BYTES_MAX;
    for at in 0..archive.len() {
        let member = archive.by_index(at).map_err(|e| e.to_string())?;
        let name = member
            .name()
            .map_err(|e| e.to_string())?
            .trim_end_matches(".npy")
            .to_owned();
        let mut bytes = Vec::new();
        let read = member.take(room).read_to_end(&mut bytes);
        read.map_err(|e| format!("`{name}`: {e}"))?;
        room = room.saturating_sub(bytes.len() as u64);
        if let Some(array) = read_array(&bytes).map_err(|what| format!("`{name}`: {what}"))? {
            arrays.insert(name, array);
        }
    }
    Ok(arrays)
}

/// Format version 1: magic, version, header length (two bytes), header as a
/// Python literal, data in C order. Other kinds of numbers are passed over.
fn read_array(bytes: &[u8]) -> Result<Option<Array>, String> {
    let body = bytes
        .strip_prefix(b"\x93NUMPY\x01\x00")
        .ok_or("not an array of format 1.0")?;
    let length = body.first_chunk::<2>().ok_or("cut off")?;
    let length = u16::from_le_bytes(*length) as usize;
    let header = body.get(2..2 + length).ok_or("cut off")?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is not text")?;
    let data = &body[2 + length..];
    if header.contains("'fortran_order': True") {
        return Err("columns come first".to_owned());
    }
    Ok(if header.contains("'|u1'") {
        Some(Array::Bytes(data.to_vec()))
    } else if header.contains("'<f4'") {
        let floats = data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
        Some(Array::Floats(floats.collect()))
    } else if header.contains("'<f8'") {
        let floats = data
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b) as f32);
        Some(Array::Floats(floats.collect()))
    } else {
        None
    })
}
