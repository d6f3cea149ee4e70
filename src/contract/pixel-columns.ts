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

/** Facts about a column that hold everywhere; the server's rules are elsewhere. */
export interface ColumnFacts {
  type: 'uuid' | 'text' | 'boolean' | 'timestamp' | 'json'
  /**
   * Who sets the value: `always` the client; `create` the client, once; `maintained` the server, ignoring what the
   * client sends, so that a whole row can be sent back.
   */
  write: 'always' | 'create' | 'maintained'
  /** Write-only. */
  read?: false
  nullable?: true
  /** Kind of value in a JSON column. */
  document?: 'array' | 'object'
  /** The type of the value if `type` is not enough; unused at run time. */
  holds?: unknown
  /** pt-BR. Without it the column is in no history and no conflict box. */
  label?: string
  /** pt-BR, by value. A text column with words accepts no other value. */
  words?: Readonly<Record<string, string>>
  /** Restored by "Restaurar esta versão": what a person wrote. The switch and the permitted hosts are not. */
  restored?: true
  /** English, for OpenAPI and `docs/integrate/data-api.md`. */
  about: string
}

const as = <T>() => undefined as unknown as T

/** One row per column of `tracking_pixels`, in API order. Types, labels, history and documents are derived from it. */
export const PIXEL_COLUMNS = {
  id: { type: 'uuid', write: 'create', about: 'Generated unless you send one.' },
  name: { type: 'text', write: 'always', label: 'Nome', restored: true, about: 'Name in the dashboard.' },
  type: {
    type: 'text',
    write: 'always',
    holds: as<PixelType>(),
    label: 'Tipo',
    words: PIXEL_TYPE_LABELS,
    restored: true,
    about: 'Kind of tag.',
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
      "The snippet that runs on the page. If you leave it out of a new pixel, the vendor's snippet for the ID is used. If it is empty, nothing runs.",
  },
  is_active: {
    type: 'boolean',
    write: 'always',
    label: 'Status',
    words: { false: 'Inativo', true: 'Ativo' },
    about: 'Whether it runs on the page. Default: true.',
  },
  allowed_hosts: {
    type: 'json',
    document: 'array',
    write: 'always',
    holds: as<string[]>(),
    label: 'Domínios permitidos',
    about: 'Hosts that the code may reach besides those that its type and its code name.',
  },
  consent_category: {
    type: 'text',
    write: 'always',
    holds: as<OptionalCategory>(),
    label: 'Categoria',
    words: TAG_CATEGORY_LABELS,
    restored: true,
    about: 'Consent category that it needs. The default depends on the type.',
  },
  conversion_labels: {
    type: 'json',
    document: 'object',
    write: 'always',
    holds: as<ConversionLabels>(),
    label: 'Rótulos de conversão',
    restored: true,
    about: 'Label of each conversion, for vendors that need one.',
  },
  delivery: {
    type: 'text',
    write: 'always',
    holds: as<PixelDelivery>(),
    label: 'Forma de envio',
    words: DELIVERY_LABELS,
    restored: true,
    about: "Who sends conversions to the vendor: the visitor's browser (default), the server, or both.",
  },
  destination: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Plataforma',
    restored: true,
    about:
      'Where the server sends conversions: an `id` of `GET /admin/api/destinations`. The default depends on the type. Null if the server has never sent any.',
  },
  destination_account: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Conta na plataforma',
    restored: true,
    about:
      "The vendor's account for conversions that the server sends, for `custom` pixels whose destination needs one.",
  },
  event_ids: {
    type: 'json',
    document: 'object',
    write: 'always',
    nullable: true,
    holds: as<ConversionLabels>(),
    label: 'Números das conversões',
    restored: true,
    about:
      "The vendor's ID of each conversion (rule or action), for destinations that need one. A conversion without one is not sent by the server.",
  },
  access_token: {
    type: 'text',
    write: 'always',
    read: false,
    nullable: true,
    about: "Secret for the vendor's API. Null removes it.",
  },
  has_access_token: { type: 'boolean', write: 'maintained', about: 'Whether `access_token` is stored.' },
  access_token_stored_at: {
    type: 'timestamp',
    write: 'maintained',
    nullable: true,
    label: 'Token salvo em',
    about: 'When `access_token` was stored.',
  },
  webhook_url: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Endereço do webhook',
    restored: true,
    about: 'Address that receives the conversions of a `custom` pixel.',
  },
  send_hashed_email: {
    type: 'boolean',
    write: 'always',
    label: 'E-mail em hash',
    words: { false: 'Não', true: 'Sim' },
    restored: true,
    about:
      'For destinations that accept it: send the hash of an email address, if the visitor accepted marketing on a text that names the destination. Default: false.',
  },
  auto_disable: {
    type: 'boolean',
    write: 'always',
    label: 'Pausa automática',
    words: { false: 'Desativada (só avisa)', true: 'Ativada' },
    restored: true,
    about: 'Pause the tag automatically when too many visits fail. Default: false.',
  },
  runs_in: {
    type: 'text',
    write: 'always',
    holds: as<PixelRunsIn>(),
    label: 'Onde a tag roda',
    words: RUNS_IN_LABELS,
    restored: true,
    about: '`page` (default), or `isolated` in a sandboxed frame, for `custom` only.',
  },
  reason: {
    type: 'text',
    write: 'always',
    nullable: true,
    label: 'Motivo',
    restored: true,
    about: 'Why the tag is on the site, for the inventory.',
  },
  created_at: { type: 'timestamp', write: 'always', about: 'When it was created. Default: now.' },
  updated_at: {
    type: 'timestamp',
    write: 'maintained',
    about: 'Time of the last change. Filter by it to change a row only if nobody else has.',
  },
  vendor: {
    type: 'text',
    write: 'maintained',
    nullable: true,
    about: 'Vendor that the catalogue recognised by type or code. Null if none.',
  },
} as const satisfies Record<string, ColumnFacts>

type Facts = typeof PIXEL_COLUMNS
type Base = { uuid: string; text: string; boolean: boolean; timestamp: string; json: unknown }
type ValueOf<F extends ColumnFacts> =
  | (F extends { holds: infer T } ? T : Base[F['type']])
  | (F extends { nullable: true } ? null : never)

/** Stored and readable columns. */
export type PixelColumn = { [K in keyof Facts]: Facts[K] extends { read: false } ? never : K }[keyof Facts]

/** A row in the API. */
export type PixelRow = { -readonly [K in PixelColumn]: ValueOf<Facts[K]> }

/** What a client may write. */
export type PixelInput = {
  -readonly [K in keyof Facts as Facts[K]['write'] extends 'maintained' ? never : K]?: ValueOf<Facts[K]>
}

/** The columns that "Restaurar esta versão" restores. */
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
