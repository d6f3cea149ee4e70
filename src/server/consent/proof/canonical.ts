import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Selectable } from 'kysely'
import type { Checkpoint, ConsentState, EvidenceRecord } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { ConsentRecords, ConsentSeals } from '#server/db/schema/consent.ts'

type Row = Omit<Selectable<ConsentRecords>, 'leaf_position'>

export const RECORD_SCHEMA_VERSION = 1

/**
 * What is sealed of a row. A change of anything here changes the hash of every record there is: another form is another
 * `schema_version`, and this one stays.
 */
export function toRecord(row: Row): EvidenceRecord {
  const record: EvidenceRecord = {
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

function stateOf(categories: readonly string[]): ConsentState {
  const given = OPTIONAL_CATEGORIES.filter((category) => categories.includes(category)).length
  if (given === 0) return 'refused'
  return given === OPTIONAL_CATEGORIES.length ? 'accepted' : 'partial'
}

/** Of everything that a seal says, the hash of the one before included: that is the chain. */
export function checkpointHash(seal: Omit<Checkpoint, 'hash'> & { hash?: string }): string {
  const { hash: _, ...said } = seal
  return canonicalHash(said)
}

export function toCheckpoint(row: Selectable<ConsentSeals>): Checkpoint {
  return { '@type': 'ConsentSeal', ...row }
}

/** The one spelling of a JSON value (RFC 8785): what is hashed, and what a line of an export must be. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('There is no JSON for this value')
  return text
}

/** SHA-256 of the canonical form, in lower-case hexadecimal. */
export function canonicalHash(value: unknown): string {
  return hashText(canonicalJson(value))
}

/** Of what is in its canonical form already. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
