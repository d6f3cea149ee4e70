import { COLORS } from '#design/colors.ts'
import type { Db } from '../db/database.ts'

export interface RenderedEmail {
  subject: string
  text: string
  html: string
}

const FONT = "font-family:'Instrument Sans',-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

export function renderEmail(email: Email, brandName: string): RenderedEmail {
  return { subject: email.subject, text: renderText(email, brandName), html: renderHtml(email, brandName) }
}

function renderText({ paragraphs, action, code, closing }: Email, brandName: string): string {
  const parts = [
    ...paragraphs,
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ...(code === undefined ? [] : [code.lead, code.digits]),
    ...closing,
    `-- \n${brandName}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function renderHtml(email: Email, brandName: string): string {
  const { subject, preview, paragraphs, action, code, closing } = email
  const body = [
    `<h1 style="margin:0 0 20px;font-size:24px;line-height:1.2;letter-spacing:-.02em;color:${COLORS.ink}">${escapeHtml(subject)}</h1>`,
    ...paragraphs.map((text) => paragraph(text, COLORS.ink)),
    ...(action === undefined ? [] : [button(action)]),
    ...(code === undefined ? [] : [paragraph(code.lead, COLORS.ink), codeBox(code.digits)]),
    ...closing.map((text) => paragraph(text, COLORS.text2)),
  ].join('')
  return `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(subject)}</title></head><body style="margin:0;background:${COLORS.paper};${FONT}">${preview === undefined ? '' : previewBox(preview)}<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${COLORS.paper}"><tr><td align="center" style="padding:32px 16px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:${COLORS.surface};border-radius:20px;overflow:hidden"><tr><td style="background:${COLORS.ink};padding:20px 32px;color:${COLORS.surface};font-size:18px;font-weight:600"><span style="color:${COLORS.accent}" aria-hidden="true">∩</span>&ensp;${escapeHtml(brandName)}</td></tr><tr><td style="padding:32px">${body}</td></tr></table></td></tr></table></body></html>`
}

/** Hidden in the mail itself. */
function previewBox(text: string): string {
  return `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(text)}</div>`
}

function paragraph(text: string, color: string): string {
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.6;color:${color}">${escapeHtml(text)}</p>`
}

function button({ label, url }: { label: string; url: string }): string {
  return `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="display:inline-block;background:${COLORS.ink};color:${COLORS.surface};padding:14px 24px;border-radius:10px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>`
}

function codeBox(code: string): string {
  return `<p style="margin:0 0 24px;padding:16px;background:${COLORS.paper};border-radius:10px;text-align:center;font-size:28px;letter-spacing:.2em;font-weight:600;color:${COLORS.ink}">${escapeHtml(code)}</p>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** The content of an e-mail; `renderEmail` decides how it looks. */
export interface Email {
  subject: string
  /** Shown by mail programs beside the subject, and nowhere in the mail. */
  preview?: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** The six digits, for whoever reads mail on another device. */
  code?: { lead: string; digits: string }
  /** After the link or the code: how long it lasts, and what to do if it was not them. */
  closing: string[]
}

export interface EmailInput {
  brandName: string
  /** Where the account is, in words, with its preposition. */
  place: string
  isAdministrator: boolean
  /** Opens the dashboard with the one-time token. */
  url: string
  code: string
  newEmail: string
}

/** Administrators have an account in the dashboard; whoever has no role knows nothing of one. */
export async function accountPlace(
  db: Db,
  userId: string,
  brandName: string,
): Promise<{ place: string; isAdministrator: boolean }> {
  const role = await db
    .selectFrom('admin_roles')
    .select('role')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const isAdministrator = role !== undefined
  return { place: isAdministrator ? `no painel ${brandName}` : `em ${brandName}`, isAdministrator }
}
