import type { OptionalCategory } from '#contract/consent.ts'
import {
  BEFORE_TAGS,
  CONSENT_COOKIE,
  CONSENT_MAX_AGE_DAYS,
  OPTIONAL_CATEGORIES,
  UNSENT_RECORDS,
} from '#contract/consent-choice.ts'
import type { ActiveTool, ActiveToolList, ToolCookie } from '#contract/inventory.ts'
import { SITE_TIME_ZONE, type SiteInfo } from '#contract/site.ts'
import { VISIT_CATEGORIES, VISIT_PARAMETER } from '#contract/visit-code.ts'
import { OBJECTION_COOKIE, OBJECTION_DAYS } from '#contract/visit-paths.ts'
import { LEGAL_DATE, type LegalBlock, type LegalDocument, type LegalFacts } from './document.ts'

interface ActiveToolsProps {
  list: ActiveToolList
  site: SiteInfo
  /** Number of its heading, after the sections of the text. */
  number: number
}

/** The tools on the site now, with their own date. */
export function ActiveTools({ list, site, number }: ActiveToolsProps) {
  return (
    <section className="tools">
      <h2 id="agora">{`${number}. ${TOOLS_TITLE}`}</h2>
      <p>{toolsDateLine(list)}</p>
      {groupTools(list, site).map(({ title, when, tools }) => (
        <section key={title}>
          <h3>{title}</h3>
          <p>{tools.length === 0 ? 'Nenhuma ferramenta em uso agora.' : when}</p>
          {tools.length === 0 ? null : <ToolTable title={title} tools={tools} />}
        </section>
      ))}
    </section>
  )
}

function ToolTable({ title, tools }: { title: string; tools: readonly PolicyTool[] }) {
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Ferramenta</th>
          <th scope="col">Finalidade</th>
          <th scope="col">Cookies e duração</th>
        </tr>
      </thead>
      <tbody>
        {tools.map((tool) => (
          <tr key={tool.name + tool.purpose}>
            <th scope="row">
              {tool.name}
              <small>{tool.owner}</small>
            </th>
            <td>{tool.purpose}</td>
            <td>
              {tool.cookies.length === 0 ? tool.none : null}
              {tool.cookies.map(({ name, detail }) => (
                <div key={name + detail} className="left">
                  <code>{name}</code> <span>{detail}</span>
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const TOOLS_TITLE = 'Ferramentas ativas no site'

const GROUP_TITLES: Record<OptionalCategory, string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}

interface ToolGroup {
  title: string
  when: string
  tools: readonly PolicyTool[]
}

/** A tool as the policy describes it. */
interface PolicyTool {
  name: string
  owner: string
  purpose: string
  cookies: readonly { name: string; detail: string }[]
  /** Shown if no cookies are known. */
  none: string | null
}

/** The policy's groups, essentials first; an empty one is shown too. */
function groupTools({ tools }: ActiveToolList, facts: LegalFacts): ToolGroup[] {
  return [
    { title: 'Essenciais', when: 'Sempre ativos.', tools: [ownCookie(facts)] },
    ...OPTIONAL_CATEGORIES.map((category) => {
      const used = tools.filter((tool) => tool.category === category).map(toPolicyTool)
      const hasVisitCode = used.length > 0 && VISIT_CATEGORIES.includes(category)
      return {
        title: GROUP_TITLES[category],
        when: 'Só com o seu consentimento.',
        tools: hasVisitCode ? [...used, visitCode(facts)] : used,
      }
    }),
  ]
}

function toolsDateLine({ changed_at }: ActiveToolList): string {
  return `Lista atualizada em ${dateOf(changed_at)}. Ela muda automaticamente quando uma ferramenta entra ou sai do site. O restante desta política é de ${LEGAL_DATE.toLowerCase()}.`
}

/** The same as blocks of text, for the dialog. */
export function withActiveTools(
  document: LegalDocument,
  list: ActiveToolList,
  facts: LegalFacts,
): LegalDocument {
  const blocks = groupTools(list, facts).flatMap(({ title, when, tools }): LegalBlock[] =>
    tools.length === 0
      ? [`${title}: nenhuma ferramenta em uso agora.`]
      : [`${title}. ${when}`, tools.map(toSentence)],
  )
  return {
    ...document,
    sections: [...document.sections, { title: TOOLS_TITLE, blocks: [toolsDateLine(list), ...blocks] }],
  }
}

function toSentence({ name, owner, purpose, cookies, none }: PolicyTool): string {
  const left = cookies.map((cookie) => `${cookie.name}, ${cookie.detail}`).join('; ')
  return `${name} (${owner}). ${purpose} ${left === '' ? (none ?? '') : `Grava ${left}.`}`.trim()
}

function ownCookie({ brandName, countsVisits }: LegalFacts): PolicyTool {
  return {
    name: brandName,
    owner: 'nós mesmos',
    purpose: countsVisits
      ? 'Lembra a sua escolha sobre cookies e, se você pediu, que suas visitas não são contadas.'
      : 'Lembra a sua escolha sobre cookies.',
    cookies: [
      { name: CONSENT_COOKIE, detail: `${CONSENT_MAX_AGE_DAYS} dias` },
      ...(countsVisits
        ? [{ name: OBJECTION_COOKIE, detail: `${OBJECTION_DAYS} dias, só para quem pediu` }]
        : []),
      { name: UNSENT_RECORDS, detail: 'no armazenamento do navegador, até a escolha ser registrada' },
      { name: BEFORE_TAGS, detail: 'no armazenamento do navegador, enquanto houver consentimento' },
    ],
    none: null,
  }
}

/** Made only where the page asks for a category that allows it. */
function visitCode({ brandName }: LegalFacts): PolicyTool {
  return {
    name: brandName,
    owner: 'nós mesmos',
    purpose:
      'Código aleatório da visita, levado pelos links de abrir conta, entrar e WhatsApp, para sabermos qual campanha trouxe você.',
    cookies: [{ name: VISIT_PARAMETER, detail: 'no armazenamento do navegador, até fechar a aba' }],
    none: null,
  }
}

function toPolicyTool(tool: ActiveTool): PolicyTool {
  return {
    name: tool.name,
    owner: ownerOf(tool),
    purpose: [tool.purpose, wayOf(tool), hostsOf(tool)].filter((text) => text !== '').join(' '),
    cookies: tool.cookies.map((cookie) => ({ name: cookie.name, detail: detailOf(cookie) })),
    none: tool.vendor === null ? null : 'Não conhecemos cookies desta ferramenta.',
  }
}

const COUNTRIES = new Intl.DisplayNames('pt-BR', { type: 'region' })

function ownerOf({ company, country }: ActiveTool): string {
  if (company === null) return 'do próprio site'
  return country === null ? company : `${company}, ${COUNTRIES.of(country) ?? country}`
}

function wayOf({ vendor, told_by }: ActiveTool): string {
  if (vendor === null || !told_by.includes('server')) return ''
  return told_by.includes('browser')
    ? 'Parte das medições é enviada pelo nosso servidor.'
    : 'As medições são enviadas pelo nosso servidor. Nada desta empresa é carregado no seu navegador.'
}

function hostsOf({ vendor, told_by, hosts }: ActiveTool): string {
  if (hosts.length > 0)
    return `${vendor === null ? 'Pode' : 'Também pode'} enviar dados para ${hosts.join(', ')}.`
  return vendor === null && told_by.includes('browser') ? 'Não envia dados para outros endereços.' : ''
}

function detailOf({ duration, domain, kind }: ToolCookie): string {
  return `${kind === 'cookie' ? '' : 'armazenamento local, '}${duration}${domain === null ? '' : `, em ${domain}`}`
}

const DATE = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'long', timeZone: SITE_TIME_ZONE })

const TIME = new Intl.DateTimeFormat('pt-BR', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: SITE_TIME_ZONE,
})

function dateOf(iso: string): string {
  const date = new Date(iso)
  return `${DATE.format(date)}, às ${TIME.format(date).replace(':', 'h')} (horário de Brasília)`
}
