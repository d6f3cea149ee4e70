import type { SummaryPageState } from '#contract/alerts.ts'
import type { ActiveToolList } from '#contract/inventory.ts'
import type { SiteInfo } from '#contract/site.ts'
import { COLORS } from '#design/colors.ts'
import { ActiveTools } from '../legal/active-tools.tsx'
import { LEGAL_DATE, type LegalSlug, legalTitle } from '../legal/document.ts'
import { LegalText } from '../legal/legal-text.tsx'
import { LEGAL_DOCUMENTS } from '../legal/texts.ts'
import { PlainFooter, PlainHeader } from '../sections/parts.tsx'

export const ERROR_TEXTS = {
  404: {
    title: 'Página não encontrada',
    text: 'O endereço pode estar errado ou a página mudou de lugar. Volte para o início ou fale com a gente.',
  },
  500: {
    title: 'Algo deu errado do nosso lado',
    text: 'Já registramos o erro. Tente novamente em alguns minutos.',
  },
} as const

export function ErrorPage({ site, status }: { site: SiteInfo; status: 404 | 500 }) {
  const { title, text } = ERROR_TEXTS[status]
  return (
    <div className="dark lost">
      <PlainHeader className="plain" brandName={site.brandName} />
      <main className="wrap">
        <div>
          <p className="badge">Erro {status}</p>
          <h1>{title}</h1>
          <p className="lead">{text}</p>
          <a className="btn go" href="/">
            Voltar para o início
          </a>
        </div>
        <ShutDoor />
      </main>
    </div>
  )
}

/** The page behind the link that ends the summary of the week. */
export const SUMMARY_TEXTS = {
  ask: {
    title: 'Parar de receber o resumo semanal?',
    text: 'O resumo das segundas deixa de chegar a este e-mail. Você pode voltar a receber em Minha conta, no painel.',
  },
  done: {
    title: 'Pronto, você não recebe mais o resumo',
    text: 'Se mudar de ideia, ative de novo em Minha conta, no painel.',
  },
  unknown: {
    title: 'Este link não vale mais',
    text: 'Para mudar o que você recebe, acesse Minha conta, no painel.',
  },
} as const satisfies Record<SummaryPageState, { title: string; text: string }>

export function SummaryPage({ site, state }: { site: SiteInfo; state: SummaryPageState }) {
  const { title, text } = SUMMARY_TEXTS[state]
  return (
    <div className="dark lost">
      <PlainHeader className="plain" brandName={site.brandName} />
      <main className="wrap">
        <div>
          <p className="badge">Resumo semanal</p>
          <h1>{title}</h1>
          <p className="lead">{text}</p>
          {state === 'ask' ? (
            // Without an action it posts to its own address, which has the code.
            <form method="post">
              <button type="submit" className="btn go">
                Parar de receber
              </button>
            </form>
          ) : null}
        </div>
        <ShutDoor />
      </main>
    </div>
  )
}

/** The hero's drawing with a closed door. */
function ShutDoor() {
  return (
    <svg viewBox="-300 -640 600 640" fill="none" aria-hidden="true">
      <g stroke={COLORS.surface}>
        <path strokeOpacity=".2" d="M-290 0v-330a290 290 0 0 1 580 0V0" />
        <path strokeOpacity=".12" d="M-362 0v-330a362 362 0 0 1 724 0V0" />
      </g>
      <path d="M-226 0v-330a226 226 0 0 1 452 0V0z" fill={COLORS.ink2} />
      <path d="M-170 0v-330a170 170 0 0 1 340 0V0z" fill={COLORS.ink} />
      <path d="M-170-6h340" stroke={COLORS.accent} strokeWidth="12" />
      <circle cx="124" cy="-210" r="9" fill={COLORS.accent} />
    </svg>
  )
}

interface LegalPageProps {
  site: SiteInfo
  slug: LegalSlug
  /** The end of the cookie policy. */
  tools?: ActiveToolList | undefined
}

export function LegalPage({ site, slug, tools }: LegalPageProps) {
  const document = LEGAL_DOCUMENTS[slug](site)
  return (
    <>
      <PlainHeader className="dark plain" brandName={site.brandName} />
      <main className="sheet wrap">
        <h1>{legalTitle(slug)}</h1>
        <p className="date">{LEGAL_DATE}</p>
        <div className="doc">
          {tools === undefined ? null : (
            <p className="jump">
              <a href="#agora">Ver as ferramentas ativas no site</a>
            </p>
          )}
          <LegalText document={document} heading="h2" />
          {tools === undefined ? null : (
            <ActiveTools list={tools} site={site} number={document.sections.length + 1} />
          )}
        </div>
      </main>
      <PlainFooter site={site} current={slug} />
    </>
  )
}
