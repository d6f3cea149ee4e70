import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Selectable } from 'kysely'
import type { Checkpoint, ConsentProofRecord, ConsentState } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { ConsentCheckpoints, ConsentRecords } from '#server/db/schema/consent.ts'

type Row = Omit<Selectable<ConsentRecords>, 'leaf_position'>

export const RECORD_SCHEMA_VERSION = 1

/**
 * The hashed form of a row. Any change here changes the hash of every record: a new form needs a new `schema_version`,
 * and this one stays.
 */
export function toRecord(row: Row): ConsentProofRecord {
  const record: ConsentProofRecord = {
    '@type': 'ConsentRecord',
    schema_version: row.schema_version ?? 0,
    record_id: row.id,
    consent_id: row.consent_id,
    recorded_at: row.created_at,
    event: row.action as ConsentAction,
    state: stateOf(row.categories),
    purposes: OPTIONAL_CATEGORIES.map((purpose) => ({
      purpose,
      status: row.categories.includes(purpose) ? 'given' : 'refused',
    })),
    notice: { version: row.text_version },
    parties: { tag_set_version: row.tag_set_version },
  }
  if (row.schema_version === null) return record
  return {
    ...record,
    notice: { version: row.text_version, hash: row.notice_hash },
    parties: { tag_set_version: row.tag_set_version, hash: row.parties_hash },
    language: 'pt-BR',
    jurisdiction: 'BR',
    legal_basis: 'LGPD, art. 7º, I',
    withdrawal: 'Preferências de cookies, no rodapé de cada página',
    retention_days: row.retention_days,
  }
}

/** Everything, nothing, or something between. */
export function stateOf(categories: readonly string[]): ConsentState {
  const given = OPTIONAL_CATEGORIES.filter((category) => categories.includes(category)).length
  if (given === 0) return 'refused'
  return given === OPTIONAL_CATEGORIES.length ? 'accepted' : 'partial'
}

/** Hashes everything in a checkpoint, including the hash of the one before: that makes the chain. */
export function checkpointHash(checkpoint: Omit<Checkpoint, 'hash'> & { hash?: string }): string {
  const { hash: _, ...said } = checkpoint
  return canonicalHash(said)
}

export function toCheckpoint(row: Selectable<ConsentCheckpoints>): Checkpoint {
  return { '@type': 'ConsentSeal', ...row }
}

/** Canonical JSON (RFC 8785): the form that is hashed, and the form of every line in an export. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('the value has no JSON form')
  return text
}

/** SHA-256 of the canonical form, in lower-case hexadecimal. */
export function canonicalHash(value: unknown): string {
  return hashText(canonicalJson(value))
}

/** SHA-256 of text that is already canonical. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
