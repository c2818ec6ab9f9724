//! Finds the bytes at an address of a code object, which is an ELF file of 64 bits.

use read::bundle::cursor::{u64_at, word};

/// Size of the file header and of a program header.
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;

/// The first bytes: magic, 64 bits, little-endian.
const IDENT: &[u8] = b"\x7fELF\x02\x01";

/// A segment that is loaded.
const LOAD: u32 = 1;

/// Returns the bytes of the image from a virtual address to the end of its segment; `None` if no segment has it.
pub(crate) fn at_address(image: &[u8], address: u64) -> Option<&[u8]> {
    if image.len() < HEADER || !image.starts_with(IDENT) {
        return None;
    }
    let place = |offset: u64| usize::try_from(offset).ok();
    let table = image.get(place(u64_at(image, 32))?..)?;
    let size = usize::from(u16::from_le_bytes(word(image, 54)));
    let count = usize::from(u16::from_le_bytes(word(image, 56)));
    let segments = table.chunks_exact(size.max(PROGRAM_HEADER)).take(count);
    segments.filter(|segment| u32::from_le_bytes(word(segment, 0)) == LOAD).find_map(|segment| {
        let [offset, start, length] = [8, 16, 32].map(|at| u64_at(segment, at));
        let within = address.checked_sub(start).filter(|within| *within < length)?;
        let bytes = image.get(place(offset)?..)?;
        bytes.get(..place(length)?).unwrap_or(bytes).get(place(within)?..)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Vec<u8> {
        let mut image = vec![0; 136];
        image[..6].copy_from_slice(IDENT);
        image[32] = 64;
        image[54] = 56;
        image[56] = 1;
        image[64] = 1;
        // Sixteen bytes from offset 120 on, at the address 4096.
        image[64 + 8] = 120;
        image[64 + 17] = 16;
        image[64 + 32] = 16;
        image[120..].copy_from_slice(b"0123456789abcdef");
        image
    }

    #[test]
    fn addresses_are_in_segments() {
        let image = image();
        assert_eq!(at_address(&image, 4096), Some(&b"0123456789abcdef"[..]));
        assert_eq!(at_address(&image, 4108), Some(&b"cdef"[..]));
        for address in [0, 4095, 4112, u64::MAX] {
            assert_eq!(at_address(&image, address), None, "{address}");
        }
    }

    #[test]
    fn damaged_images_have_no_addresses() {
        let whole = image();
        for length in 0..120 {
            assert_eq!(at_address(&whole[..length], 4096).unwrap_or_default(), b"", "{length}");
        }
        for at in 0..whole.len() {
            let mut image = whole.clone();
            image[at] ^= 0xff;
            let _ = at_address(&image, 4096);
        }
    }
}
