/** One JSON value on each line: this head, then `{"table": …}` and its rows for each table, then the foot. */
export interface TransferHead {
  format: 'portico-export'
  version: 1
  /** Of the program that wrote it. */
  release: string
  migrations: string[]
  /** The key that its sealed secrets need; the key itself is not in it. */
  keyId: string | null
}

export interface TransferFoot {
  rows: number
  /** Of every byte before this line. */
  sha256: string
}
