//! Certificates for tests.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes an authority and a certificate of this machine, as docs/cluster.md shows.
pub fn certify(folder: &Path) {
    let run = |words: &str| {
        let output = Command::new("openssl").args(words.split(' ')).current_dir(folder).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    run(&format!("req -x509 {key} -days 2 -subj /CN=tests -keyout ca.key -out ca.crt"));
    run(&format!("req {key} -subj /CN=node -keyout node.key -out node.csr"));
    let names = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth";
    fs::write(folder.join("node.ext"), names).unwrap();
    run(
        "x509 -req -in node.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile node.ext -out node.crt",
    );
}
