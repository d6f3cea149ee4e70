import { ConfigError } from '../config.ts'
import { BackupError } from '../db/backup-error.ts'
import { DataDirectoryInUseError } from '../db/data-directory-lock.ts'
import { NotOwnerOnlyError } from '../db/owner-only.ts'
import { EvidenceFault } from '../evidence/file/evidence-fault.ts'
import { SecretKeyError } from '../secrets/secret-key-error.ts'

/** A call that does not fit the command's usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const EXPECTED = [
  BackupError,
  ConfigError,
  DataDirectoryInUseError,
  EvidenceFault,
  NotOwnerOnlyError,
  SecretKeyError,
  UsageError,
]

/** What the operator can mend is one line; anything else keeps its stack. Both end with 1. */
export async function runCommand(command: () => Promise<void> | void): Promise<void> {
  try {
    await command()
  } catch (error) {
    const expected = EXPECTED.some((kind) => error instanceof kind)
    console.error(expected ? (error as Error).message : error)
    process.exitCode = 1
  }
}
