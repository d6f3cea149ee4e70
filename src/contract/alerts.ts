/** Alerts that an administrator can get by email, and a team in its chat. */
export const ALERT_KINDS = [
  'broken',
  'token_refused',
  'new_host',
  'script_changed',
  'headers_changed',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const ALERT_NAMES: Record<AlertKind, string> = {
  broken: 'um pixel parar de funcionar',
  token_refused: 'uma plataforma recusar o token de acesso',
  new_host: 'o site bloquear um domínio novo de uma tag',
  script_changed: 'um arquivo de plataforma mudar',
  headers_changed: 'a segurança da página mudar sem alteração de tags',
}

/** `GET` and `PUT /admin/api/alerts`: one person's settings. */
export interface AlertChoice {
  kinds: AlertKind[]
  /** The summary of the week, on Mondays. */
  weekly_summary: boolean
  /** False without a mail server: nothing can be sent. */
  can_send: boolean
}

/** What a chat understands; `json` is for other programs. */
export const CHAT_FORMATS = ['slack', 'discord', 'json'] as const
export type ChatFormat = (typeof CHAT_FORMATS)[number]

export const CHAT_NAMES: Record<ChatFormat, string> = {
  slack: 'Slack',
  discord: 'Discord',
  json: 'Outro sistema (JSON)',
}

/** The chat that gets alerts. Its address is never returned. */
export interface AlertWebhook {
  format: ChatFormat
  kinds: AlertKind[]
  changed_at: string
  /** What became of the last message; null before the first one. `problem` is null if it arrived. */
  last: { at: string; problem: string | null } | null
}

/** `GET`, `PUT` and `DELETE /admin/api/alerts/webhook`. */
export interface AlertWebhookAnswer {
  webhook: AlertWebhook | null
}

/** Body of the `PUT`. Without `url` the stored address stays. */
export interface AlertWebhookInput {
  url?: string
  format: ChatFormat
  kinds: AlertKind[]
}

/** `POST /admin/api/alerts/webhook/test`. */
export interface AlertWebhookTest {
  /** Null if the chat accepted the message. */
  problem: string | null
}

/** What the page behind the link of the weekly summary shows: a button, that it is done, or that the link is unknown. */
export type SummaryPageState = 'ask' | 'done' | 'unknown'
