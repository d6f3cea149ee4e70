export interface ReceivedMail {
  to: string[]
  subject: string
  headers: string
  text: string
  html: string
  /** The link, if there is one. */
  link: string
  /** The six digits. */
  code: string
}

/** Enough of MIME to read our own emails. */
export function parseMail(source: string, to: string[]): ReceivedMail {
  const [headers = '', body = ''] = splitHead(source)
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? ''
  const parts = body.split(`--${boundary}`).map(splitHead)
  const part = (type: string) => {
    const [head = '', content = ''] = parts.find(([lines]) => lines?.includes(type)) ?? []
    return decodeBody(content, /content-transfer-encoding: *(\S+)/i.exec(head)?.[1] ?? '7bit')
  }
  const text = part('text/plain')
  return {
    to,
    headers,
    subject: decodeWords(/^subject: (.*(?:\r?\n[ \t].*)*)/im.exec(headers)?.[1] ?? ''),
    text,
    html: part('text/html'),
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
    code: /^\d{6}$/m.exec(text)?.[0] ?? '',
  }
}

function splitHead(source: string): string[] {
  const at = /\r?\n\r?\n/.exec(source)
  return at === null ? [source] : [source.slice(0, at.index), source.slice(at.index + at[0].length)]
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n')
  return fromQuotedPrintable(body.replace(/=\r?\n/g, '')).replaceAll('\r\n', '\n')
}

function fromQuotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : fromQuotedPrintable(word.replaceAll('_', ' ')),
    )
}
