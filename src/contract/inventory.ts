/** A script of a tag. Ours has the hash of what we serve; a vendor's is what its address says. */
export type ServedFile = { kind: 'own'; path: string; sha256: string } | { kind: 'vendor'; url: string }
