import { type OptionalCategory, TAG_CATEGORY_LABELS } from './consent.ts'
import type { ConversionLabels } from './conversions.ts'
import {
  DELIVERY_LABELS,
  PIXEL_TYPE_LABELS,
  type PixelDelivery,
  type PixelRunsIn,
  type PixelType,
  RUNS_IN_LABELS,
} from './pixel.ts'

/** What is true of a column wherever it is used; what only the server can say is in its rules. */
export interface ColumnFacts {
  type: 'uuid' | 'text' | 'boolean' | 'timestamp' | 'json'
  /**
   * Who sets the value: `always` the client; `create` the client, and once only; `maintained` the server, whatever the
   * client sends, so that a row that was read can be sent back whole.
   */
  write: 'always' | 'create' | 'maintained'
  /** Write-only. */
  read?: false
  nullable?: true
  /** What a column of JSON holds. */
  document?: 'array' | 'object'
  /** The type of the value where `type` says too little; nothing at run time. */
  holds?: unknown
  /** pt-BR. Without one the column is in no history and no conflict box. */
  label?: string
  /** pt-BR, by value. A text column with words takes no other value. */
  words?: Readonly<Record<string, string>>
  /** "Restaurar esta versão" brings it back: what a person wrote. The switch and the permitted hosts stay as they are. */
  restored?: true
  /** English, for OpenAPI and `docs/integrating.md`. */
  about: string
}

const as = <T>() => undefined as unknown as T

/** One row per column of `tracking_pixels`, in the order of the wire. Types, labels, history and documents follow from it. */
export const PIXEL_COLUMNS = {
  id: { type: 'uuid', write: 'create', about: 'Yours, or made.' },
  name: { type: 'text', write: 'always', label: 'Nome', restored: true, about: 'What people call it.' },
  type: {
    type: 'text',
    write: 'always',
    holds: as<PixelType>(),
    label: 'Tipo',
    words: PIXEL_TYPE_LABELS,
    restored: true,
    about: 'Whose tag it is.',
  },
  pixel_id: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'ID',
    restored: true,
    about: "The vendor's ID; null for `custom`.",
  },
  code: {
    type: 'text',
    write: 'always',
    label: 'Código',
    restored: true,
    about:
      "What runs on the page. Left out of a new pixel, it is the vendor's snippet for the ID, as in the form; empty, nothing runs.",
  },
  is_active: {
    type: 'boolean',
    write: 'always',
    label: 'Status',
    words: { false: 'Inativo', true: 'Ativo' },
    about: 'Runs on the page; true unless said otherwise.',
  },
  allowed_hosts: {
    type: 'json',
    document: 'array',
    write: 'always',
    holds: as<string[]>(),
    label: 'Endereços permitidos',
    about: 'Hosts that the code may reach beside those of its type and those it names.',
  },
  consent_category: {
    type: 'text',
    write: 'always',
    holds: as<OptionalCategory>(),
    label: 'Categoria',
    words: TAG_CATEGORY_LABELS,
    restored: true,
    about: 'The consent that it needs; by type unless said otherwise.',
  },
  conversion_labels: {
    type: 'json',
    document: 'object',
    write: 'always',
    holds: as<ConversionLabels>(),
    label: 'Rótulos de conversão',
    restored: true,
    about: 'Labels by conversion, for vendors that need one.',
  },
  delivery: {
    type: 'text',
    write: 'always',
    holds: as<PixelDelivery>(),
    label: 'Envio',
    words: DELIVERY_LABELS,
    restored: true,
    about: "Who tells the vendor: the visitor's browser (unless said otherwise), the server, or both.",
  },
  destination: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Destino',
    restored: true,
    about:
      'Where the server sends, as an `id` of `GET /admin/api/destinations`; by type unless said otherwise, and null while the server never sent.',
  },
  access_token: {
    type: 'text',
    write: 'always',
    read: false,
    nullable: true,
    about: 'What the server signs in to the vendor with; null removes it.',
  },
  has_access_token: { type: 'boolean', write: 'maintained', about: 'Whether `access_token` is stored.' },
  access_token_stored_at: {
    type: 'timestamp',
    write: 'maintained',
    nullable: true,
    label: 'Token guardado em',
    about: 'Since when.',
  },
  webhook_url: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Endereço do webhook',
    restored: true,
    about: 'Where the conversions of a `custom` pixel are posted.',
  },
  send_hashed_email: {
    type: 'boolean',
    write: 'always',
    label: 'E-mail em código (hash) para a Meta',
    words: { false: 'Não', true: 'Sim' },
    restored: true,
    about:
      'Meta only: subscriptions carry the hash of their e-mail, where the visitor accepted marketing. False unless said otherwise.',
  },
  auto_disable: {
    type: 'boolean',
    write: 'always',
    label: 'Disjuntor',
    words: { false: 'Só avisa', true: 'Pausa sozinha' },
    restored: true,
    about: 'Pauses by itself where visits show that it fails; false unless said otherwise.',
  },
  runs_in: {
    type: 'text',
    write: 'always',
    holds: as<PixelRunsIn>(),
    label: 'Onde roda',
    words: RUNS_IN_LABELS,
    restored: true,
    about: 'In the page (unless said otherwise), or in an isolated frame: `custom` only.',
  },
  reason: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Motivo',
    restored: true,
    about: 'Why it is on the site, in the words of whoever answers for it.',
  },
  created_at: { type: 'timestamp', write: 'always', about: 'When it was added; now unless said otherwise.' },
  updated_at: {
    type: 'timestamp',
    write: 'maintained',
    about: 'Moves with every change: filter by it to change only what you have seen.',
  },
  vendor: {
    type: 'text',
    write: 'maintained',
    nullable: true,
    about: "Recognised in the catalogue by type or code; null where it isn't.",
  },
} as const satisfies Record<string, ColumnFacts>

type Facts = typeof PIXEL_COLUMNS
type Base = { uuid: string; text: string; boolean: boolean; timestamp: string; json: unknown }
type ValueOf<F extends ColumnFacts> =
  | (F extends { holds: infer T } ? T : Base[F['type']])
  | (F extends { nullable: true } ? null : never)

/** The columns that are stored in the table and read from it. */
export type PixelColumn = { [K in keyof Facts]: Facts[K] extends { read: false } ? never : K }[keyof Facts]

/** A row as it travels on the wire. */
export type PixelRow = { -readonly [K in PixelColumn]: ValueOf<Facts[K]> }

/** What a client may write. */
export type PixelInput = {
  -readonly [K in keyof Facts as Facts[K]['write'] extends 'maintained' ? never : K]?: ValueOf<Facts[K]>
}

/** The columns that "Restaurar esta versão" brings back. */
export type RestoredColumn = {
  [K in keyof Facts]: Facts[K] extends { restored: true } ? K : never
}[keyof Facts]

export function pixelColumns<K extends string = PixelColumn>(
  passes: (facts: ColumnFacts) => boolean,
): readonly K[] {
  return Object.entries<ColumnFacts>(PIXEL_COLUMNS).flatMap(([name, facts]) =>
    passes(facts) ? [name as K] : [],
  )
}
