export const ACTIVITY_KINDS = ['pixels', 'people', 'sign_ins', 'newsletter', 'system'] as const
export type ActivityKind = (typeof ACTIVITY_KINDS)[number]

/** Actors that are no person, as the trail names them. */
export const ACTIVITY_ACTORS: Readonly<Record<string, string>> = {
  'service key': 'Chave de serviço',
  'command line': 'Linha de comando',
  configuration: 'Configuração do servidor',
  guest: 'Alguém sem login',
  disjuntor: 'O disjuntor',
  inventory: 'O inventário',
}

/** One thing that somebody did. */
export interface ActivityEvent {
  id: string
  at: string
  /** An e-mail, or words for what is no person. */
  by: string
  kind: ActivityKind
  /** What they did, as the end of a sentence that begins with `by`. */
  text: string
  /** Set while the pixel that it is about is there to be opened. */
  pixel_id?: string
}

/** `GET /admin/api/activity?search&by&kind&before`: the newest first. */
export interface ActivityPage {
  events: ActivityEvent[]
  /** For `before`; null at the end of what is kept. A page may be short, or empty, and have one: the search goes on there. */
  next: string | null
  /** How long it is kept, and sign-ins that failed. */
  kept_days: number
  failed_login_days: number
  /** Whom it can be filtered by: those who have access, and what is no person. */
  people: { value: string; label: string }[]
}
