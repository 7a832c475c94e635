#!/bin/sh
# Makes the certificates and keys of this folder anew. They are for tests only: the keys are public.
# Needs openssl; the tests do not.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
touch "$work/index.txt"
cat >"$work/ca.cnf" <<END
[req]
distinguished_name = name
[name]
[ca]
default_ca = test
[test]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
END

# make <name> <issuer, or the name itself> <extensions> [<last day, as YYMMDD>]
make() {
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config "$work/ca.cnf" \
		-keyout "test-only-$1.key.pem" -out "$work/$1.csr" -subj "/CN=Test only: $1" -sha256
	printf '%s\n' "$3" >"$work/ext"
	signer="-cert test-only-$2.pem"
	[ "$1" = "$2" ] && signer=-selfsign
	openssl ca -batch -notext -config "$work/ca.cnf" -in "$work/$1.csr" -out "test-only-$1.pem" \
		$signer -keyfile "test-only-$2.key.pem" -extfile "$work/ext" \
		-startdate 20200101000000Z -enddate "${4:-21200101}000000Z"
}

authority='basicConstraints = critical, CA:true'
loopback='subjectAltName = DNS:localhost, IP:127.0.0.1'
make root root "$authority"
make intermediate root "$authority"
make good root "$loopback"
make behind-intermediate intermediate "$loopback"
make expired root "$loopback" 20210101
make other-host root 'subjectAltName = DNS:other.example'
make self-signed self-signed "$loopback"
rm -r "$work" test-only-intermediate.key.pem test-only-root.key.pem
