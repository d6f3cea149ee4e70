import { SITE_TIME_ZONE } from '#contract/site-time-zone.ts'

/** What a mail says; how it looks is the mail's own business. */
export interface AlertLetter {
  subject: string
  paragraphs: string[]
  action: { label: string; url: string }
  closing: string[]
}

export interface AlertLine {
  pixelId: string
  pixelName: string
  text: string
}

/** More than these are counted instead of told. */
const MOST = 20

const WHEN = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SITE_TIME_ZONE,
  dateStyle: 'short',
  timeStyle: 'short',
})
const CLOSING = ['Você escolheu receber estes avisos. Em "Minha conta", no painel, pode mudar isso.']

/** One mail about headers that changed, at these times. */
export function headersLetter(times: readonly string[], adminUrl: string): AlertLetter {
  return {
    subject: 'Os cabeçalhos da página mudaram',
    paragraphs: [
      `Os cabeçalhos de segurança da página pública mudaram sem que uma tag mudasse: ${times
        .slice(0, MOST)
        .map((time) => WHEN.format(Date.parse(time)))
        .join('; ')}.`,
      'Uma atualização do sistema ou outra configuração explica isso com frequência. Se ninguém fez nenhuma das duas, veja quem teve acesso ao servidor.',
    ],
    action: { label: 'Abrir o inventário', url: `${adminUrl}/admin/inventario` },
    closing: CLOSING,
  }
}

/** One mail about one or several pixels. It lets nobody in, and says nothing of any visitor. */
export function alertLetter(lines: readonly AlertLine[], adminUrl: string): AlertLetter {
  const names = [...new Set(lines.map(({ pixelName }) => pixelName))]
  const [first = ''] = names
  const pixels = new Set(lines.map(({ pixelId }) => pixelId))
  const hidden = lines.length - MOST
  return {
    subject: names.length === 1 ? `Veja o pixel ${first}` : `${names.length} pixels pedem a sua atenção`,
    paragraphs: [
      ...lines.slice(0, MOST).map(({ pixelName, text }) => `${pixelName}: ${text}`),
      ...(hidden > 0 ? [`E mais ${hidden}. O painel mostra todos.`] : []),
    ],
    action:
      pixels.size === 1
        ? { label: 'Abrir o pixel', url: `${adminUrl}/admin/pixels/${lines[0]?.pixelId}` }
        : { label: 'Abrir os pixels com problema', url: `${adminUrl}/admin/problemas` },
    closing: CLOSING,
  }
}
