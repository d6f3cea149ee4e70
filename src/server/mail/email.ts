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

function renderText(email: Email, brandName: string): string {
  const { paragraphs, chart, tables = [], action, code, closing } = email
  const parts = [
    ...paragraphs,
    ...(chart === undefined ? [] : [chart.map(({ label, text }) => `${label} ${text}`).join(', ')]),
    ...tables.map(tableText),
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ...(code === undefined ? [] : [code.lead, code.digits]),
    ...closing,
    `-- \n${brandName}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function tableText({ title, rows, note }: EmailTable): string {
  const lines = rows.map(({ label, detail, value, before }) => {
    const more = [detail, before].filter((text) => text !== undefined)
    const first = value === undefined ? label : `${label}: ${value}`
    return more.length === 0 ? first : `${first} (${more.join('; ')})`
  })
  return [title, ...lines, ...(note === undefined ? [] : [note])].join('\n')
}

function renderHtml(email: Email, brandName: string): string {
  const { subject, preview, paragraphs, chart, tables = [], action, code, closing } = email
  const body = [
    `<h1 style="margin:0 0 20px;font-size:24px;line-height:1.2;letter-spacing:-.02em;color:${COLORS.ink}">${escapeHtml(subject)}</h1>`,
    ...paragraphs.map((text) => paragraph(text, COLORS.ink)),
    ...(chart === undefined ? [] : [chartHtml(chart)]),
    ...tables.map(tableHtml),
    ...(action === undefined ? [] : [button(action)]),
    ...(code === undefined ? [] : [paragraph(code.lead, COLORS.ink), codeBox(code.digits)]),
    ...closing.map((text) => paragraph(text, COLORS.text2)),
  ].join('')
  return `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(subject)}</title></head><body style="margin:0;background:${COLORS.paper};${FONT}">${preview === undefined ? '' : previewBox(preview)}<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${COLORS.paper}"><tr><td align="center" style="padding:32px 16px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:${COLORS.surface};border-radius:20px;overflow:hidden"><tr><td style="background:${COLORS.ink};padding:20px 32px;color:${COLORS.surface};font-size:18px;font-weight:600"><span style="color:${COLORS.accent}" aria-hidden="true">∩</span>&ensp;${escapeHtml(brandName)}</td></tr><tr><td style="padding:32px">${body}</td></tr></table></td></tr></table></body></html>`
}

/** Invisible in the email itself. */
function previewBox(text: string): string {
  return `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(text)}</div>`
}

function paragraph(text: string, color: string): string {
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.6;color:${color}">${escapeHtml(text)}</p>`
}

function button({ label, url }: { label: string; url: string }): string {
  return `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="display:inline-block;background:${COLORS.ink};color:${COLORS.surface};padding:14px 24px;border-radius:10px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>`
}

/** Height of the highest bar, in pixels. */
const BAR_PX = 76

/** Nested tables, because mail programs know little else. */
function chartHtml(columns: readonly ChartColumn[]): string {
  const most = Math.max(1, ...columns.map(({ value }) => value))
  const best = columns.findIndex(({ value }) => value === most)
  const bars = columns.map(({ label, value, text }, at) => {
    const height = value === 0 ? 1 : Math.max(3, Math.round((value / most) * BAR_PX))
    const color = at === best ? COLORS.accent : COLORS.ink3
    const weight = at === best ? ';font-weight:600' : ''
    return `<td width="14%" align="center" valign="bottom" style="padding:0 3px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="font-size:12px;line-height:18px;color:${COLORS.text2}${weight}">${escapeHtml(text)}</td></tr><tr><td height="${height}" bgcolor="${color}" style="height:${height}px;line-height:1px;font-size:1px;border-radius:10px 10px 0 0;background:${color}">&nbsp;</td></tr><tr><td align="center" style="padding-top:4px;font-size:13px;line-height:18px;color:${COLORS.text2}${weight}">${escapeHtml(label)}</td></tr></table></td>`
  })
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 24px"><tr>${bars.join('')}</tr></table>`
}

function tableHtml({ title, rows, note }: EmailTable): string {
  const small = `font-size:14px;line-height:20px;font-weight:400;color:${COLORS.text2}`
  const cell = `padding:11px 0;border-top:1px solid ${COLORS.line};font-size:16px;line-height:22px;color:${COLORS.ink}`
  const under = (text: string | undefined) =>
    text === undefined ? '' : `<br><span style="${small}">${escapeHtml(text)}</span>`
  const lines = rows.map(({ label, detail, value, before }) => {
    const right =
      value === undefined
        ? ''
        : `<td align="right" valign="top" style="${cell};padding-left:12px;font-weight:600;white-space:nowrap">${escapeHtml(value)}${under(before)}</td>`
    return `<tr><td style="${cell}">${escapeHtml(label)}${under(detail)}</td>${right}</tr>`
  })
  const end = note === undefined ? '' : `<p style="margin:4px 0 0;${small}">${escapeHtml(note)}</p>`
  return `<h2 style="margin:0 0 8px;font-size:18px;line-height:24px;color:${COLORS.ink}">${escapeHtml(title)}</h2><table role="presentation" width="100%" cellpadding="0" cellspacing="0">${lines.join('')}</table>${end}<div style="height:24px">&nbsp;</div>`
}

function codeBox(code: string): string {
  return `<p style="margin:0 0 24px;padding:16px;background:${COLORS.paper};border-radius:10px;text-align:center;font-size:28px;letter-spacing:.2em;font-weight:600;color:${COLORS.ink}">${escapeHtml(code)}</p>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

interface ChartColumn {
  label: string
  value: number
  /** The value as it is written. */
  text: string
}

export interface EmailTable {
  title: string
  rows: { label: string; detail?: string; value?: string; before?: string }[]
  /** Below the rows. */
  note?: string
}

/** The content of an email; `renderEmail` decides how it looks. */
export interface Email {
  subject: string
  /** Shown beside the subject by mail programs, and nowhere in the email. */
  preview?: string
  paragraphs: string[]
  /** A bar for each column; the highest is marked. */
  chart?: ChartColumn[]
  tables?: EmailTable[]
  action?: { label: string; url: string }
  /** The six digits, for people who read email on another device. */
  code?: { lead: string; digits: string }
  /** After the link or code: how long it lasts, and what to do if it was not requested. */
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

/** Administrators have an account in the dashboard; people without a role do not know of one. */
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
