import type { TagWarning } from '#contract/tag-status.ts'
import type { TagSource } from './compiled-tag.ts'
import type { ScriptFacts } from './inspect-script.ts'
import type { Recognition } from './recognise-source.ts'

/** A conversion that is told as the page opens is told by every visit. */
export function checkConversions(
  conversions: Recognition['conversions'],
  facts: readonly ScriptFacts[],
): TagWarning[] {
  const calls = facts.flatMap(({ atLoad }) => atLoad)
  return conversions.flatMap(({ vendor, call, begins, events, hasLabel }) => {
    const told = calls.find(
      ({ name, texts }) =>
        name === call &&
        begins.every((text, index) => texts[index] === text) &&
        (hasLabel || texts.some((text) => events.includes(text))),
    )
    return told === undefined ? [] : [WARNINGS.conversionAtLoad(vendor, hasLabel)]
  })
}

/** Measures nothing any more, whatever is sent. */
export function checkEnded(code: string): TagWarning[] {
  const [account] = /\bUA-\d{4,12}-\d{1,4}\b/.exec(code) ?? []
  return account === undefined ? [] : [WARNINGS.universalAnalytics(account)]
}

/** An ID that differs from the field sends every visit to another account, and shows nowhere. */
export function checkIds(
  source: TagSource,
  facts: readonly ScriptFacts[],
  addresses: readonly string[],
): TagWarning[] {
  const strings = facts.flatMap((fact) => fact.texts.map(({ text }) => text))
  const containers = strings.filter((text) => /^GTM-[A-Z0-9]+$/i.test(text))
  if (source.type !== 'google_tag_manager' && loadsContainer([...strings, ...addresses])) {
    return [WARNINGS.hiddenContainer()]
  }
  if (source.pixel_id === null || (facts.length === 0 && addresses.length === 0)) return []
  const expected = source.pixel_id
  const found = [...new Set([...idsInCode(source.type, facts, containers), ...idsInAddresses(addresses)])]
  if (found.length === 0) return [WARNINGS.idMissing(expected)]
  return found
    .filter((id) => id !== expected && isSameKind(id, expected))
    .map((id) => WARNINGS.otherId(id, expected))
}

/** One Google tag configures several products: `AW-` beside `G-` is another product, not another account. */
function isSameKind(id: string, expected: string): boolean {
  const kindOf = (text: string) => /^[A-Z]+(?=-)/i.exec(text)?.[0].toUpperCase()
  return kindOf(id) === kindOf(expected)
}

function idsInCode(
  type: TagSource['type'],
  facts: readonly ScriptFacts[],
  containers: readonly string[],
): string[] {
  const second = (name: string, command: string) =>
    facts.flatMap((fact) =>
      (fact.calls.get(name) ?? []).flatMap(([first, id]) => (first === command && id ? [id] : [])),
    )
  if (type === 'meta') return second('fbq', 'init')
  if (type === 'google_analytics') return second('gtag', 'config')
  return type === 'google_tag_manager' ? [...containers] : []
}

/** `gtag/js?id=…` and `gtm.js?id=…`. */
function idsInAddresses(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const url = new URL(address)
    const id = url.hostname.endsWith('googletagmanager.com') ? url.searchParams.get('id') : null
    return id === null ? [] : [id]
  })
}

function loadsContainer(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('googletagmanager.com/gtm.js'))
}

/** Every warning in one place, in the words that an administrator reads: what happens, and what to do. */
export const WARNINGS = {
  doesNotParse: (position: number, line: number, reason: string): TagWarning => ({
    code: 'does_not_parse',
    message: `O ${position}º script tem um erro na linha ${line} e não vai rodar (${shorten(reason)}). Copie o código de novo da plataforma.`,
  }),
  noScript: (): TagWarning => ({
    code: 'no_script',
    message: 'Não há nenhum script aqui. Cole o código inteiro, com as marcas <script> e </script>.',
  }),
  documentWrite: (): TagWarning => ({
    code: 'document_write',
    message:
      'O código usa document.write, que o navegador ignora em tags carregadas depois da página. Peça à plataforma a versão assíncrona.',
  }),
  usesEval: (): TagWarning => ({
    code: 'eval',
    message:
      'O código monta outro código a partir de texto (eval), o que a política de segurança da página bloqueia.',
  }),
  inlineHandler: (attribute: string): TagWarning => ({
    code: 'inline_handler',
    message: `O atributo ${shorten(attribute)} não vai rodar: a política de segurança bloqueia código dentro de atributos. Use addEventListener num script.`,
  }),
  notHttps: (address: string): TagWarning => ({
    code: 'not_https',
    message: `O endereço ${shorten(address)} não usa https e não vai ser carregado. Troque http:// por https://.`,
  }),
  unusableAddress: (address: string): TagWarning => ({
    code: 'unusable_address',
    message: `O endereço ${shorten(address)} não é de um site público e não vai ser carregado.`,
  }),
  elementNotShipped: (name: string): TagWarning => ({
    code: 'element_not_shipped',
    message: `O elemento <${shorten(name)}> não vai para a página: de uma tag, só scripts e imagens entram.`,
  }),
  metaNotShipped: (name: string): TagWarning => ({
    code: 'meta_not_shipped',
    message: `A marca <meta${name === '' ? '' : ` ${shorten(name)}`}> não vai para a página: só entram as que provam que o site é seu, como google-site-verification.`,
  }),
  metaWithoutCode: (name: string): TagWarning => ({
    code: 'meta_without_code',
    message: `A verificação ${shorten(name)} está sem o código. Copie a marca inteira, com content="…".`,
  }),
  jsonLdUnreadable: (): TagWarning => ({
    code: 'json_ld_unreadable',
    message: 'Os dados estruturados (JSON-LD) têm um erro e não vão para a página. Copie-os de novo.',
  }),
  jsonLdTooLarge: (): TagWarning => ({
    code: 'json_ld_too_large',
    message: 'Os dados estruturados (JSON-LD) passam de 2 KB e não vão para a página. Deixe só o essencial.',
  }),
  noscriptOnly: (): TagWarning => ({
    code: 'noscript_only',
    message:
      'Aqui só há a parte <noscript>, que nenhum navegador com scripts usa. Cole o código inteiro da plataforma.',
  }),
  linkOnly: (): TagWarning => ({
    code: 'link_only',
    message:
      'Isto é só um link: uma tag não desenha botões na página. O número do WhatsApp do site fica na configuração.',
  }),
  nothingRuns: (): TagWarning => ({
    code: 'nothing_runs',
    message: 'Não há nada aqui que possa rodar: nem script, nem imagem, nem verificação.',
  }),
  placeholder: (text: string): TagWarning => ({
    code: 'placeholder',
    message: `O código ainda tem ${shorten(text)}, que a plataforma espera que você troque pelo seu valor.`,
  }),
  otherId: (found: string, expected: string): TagWarning => ({
    code: 'other_id',
    message: `O código usa o ID ${shorten(found)}, mas o campo diz ${expected}. As visitas iriam para a conta do código.`,
  }),
  idMissing: (expected: string): TagWarning => ({
    code: 'id_missing',
    message: `O ID ${expected} não aparece no código. Confira se o código é mesmo desta conta.`,
  }),
  conversionAtLoad: (vendor: string, hasLabel: boolean): TagWarning => ({
    code: 'conversion_at_load',
    message: `Este código envia uma conversão para ${vendor} assim que a página abre: cada visita com consentimento contaria como conversão. Tire essa parte do código${hasLabel ? ' e use o rótulo dela nos campos abaixo' : '; o site envia as conversões sozinho, a cada clique'}.`,
  }),
  universalAnalytics: (account: string): TagWarning => ({
    code: 'universal_analytics',
    message: `${account} é do Universal Analytics, que o Google encerrou: nada mais é medido por ele. Use uma propriedade do GA4, com o ID que começa com "G-".`,
  }),
  sameId: (pixelId: string, other: string): TagWarning => ({
    code: 'same_id',
    message: `O ID ${pixelId} já está em "${shorten(other)}". Com as duas tags ativas, cada visita conta duas vezes.`,
  }),
  leftOut: (): TagWarning => ({
    code: 'left_out',
    message:
      'Esta tag não está na página: os hosts das tags ativas não cabem no cabeçalho, e esta é das que usam mais. Tire endereços do código ou desative outra tag.',
  }),
  hiddenContainer: (): TagWarning => ({
    code: 'hidden_container',
    message:
      'Este código carrega o Google Tag Manager. Escolha o tipo "Google Tag Manager": neste tipo, o que o contêiner carregar será bloqueado.',
  }),
} as const

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** What vendors write where the customer's own value belongs. Each is short and linear. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\b(?:YOUR|SEU|SUA|INSERT|ENTER|REPLACE)[_-][A-Z0-9_-]{2,40}\b/,
  /<(?:your|user|insert|seu|sua|customer|pixel|partner)[_ -][a-z0-9_ -]{1,40}>/i,
  /\[(?:your|insert|seu|sua)[_ -][a-z0-9_ -]{1,40}\]/i,
  /\{\{\s{0,4}[a-z0-9_. -]{1,40}\}\}/i,
  /\b(?:G|GTM|AW|DC|UA)-X{4,12}\b/,
  /\bX{8,20}\b/,
]

/** The first piece of the code that its author should have replaced, or null. */
export function findPlaceholder(code: string): string | null {
  for (const pattern of PLACEHOLDERS) {
    const found = pattern.exec(code)
    if (found !== null) return found[0]
  }
  return null
}
