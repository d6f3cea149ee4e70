import { CircleQuestionMark } from 'lucide-react'
import { cn } from '../lib/cn.ts'
import { paths } from '../lib/router.tsx'

/** Words of the dashboard that need more than a line, and the heading of the guide that explains each. */
export const HELP_TOPICS = {
  'aviso de cookies': ['consentimento', 'o-aviso-de-cookies'],
  'dossiê para auditoria': ['prova-de-consentimento', 'gere-o-dossiê-para-auditoria'],
  'envio pelo servidor': ['conversoes-pelo-servidor', 'como-funciona'],
  funcionamento: ['nao-funciona', 'pelo-funcionamento-do-pixel'],
  'impacto na velocidade': ['nao-funciona', 'impacto-na-velocidade'],
  inventário: ['prova-de-consentimento', 'o-que-é-o-inventário'],
  'isolada da página': ['nao-funciona', 'tag-isolada-da-página'],
  'pausa automática': ['nao-funciona', 'pausa-automática'],
  resultados: ['resultados', 'o-que-é-um-resultado'],
  selo: ['prova-de-consentimento', 'o-que-é-o-selo'],
  visitas: ['visitas', 'o-que-contamos'],
} as const

export type HelpTopic = keyof typeof HELP_TOPICS

interface HelpLinkProps {
  topic: HelpTopic
  /** A line at the end of an explanation, instead of a question mark beside a heading. */
  inText?: boolean
  className?: string
}

/**
 * Opens the guide where it explains a word, in another tab: what is typed or being tested here stays.
 *
 *     <h3>Selos de integridade</h3> <HelpLink topic="selo" />
 */
export function HelpLink({ topic, inText = false, className }: HelpLinkProps) {
  const [chapter, heading] = HELP_TOPICS[topic]
  return (
    <a
      href={paths.help(chapter, heading)}
      target="_blank"
      rel="noreferrer"
      aria-label={inText ? `Ver na Ajuda: ${topic} (abre em nova aba)` : `Ajuda: ${topic} (abre em nova aba)`}
      title={`Ajuda: ${topic}`}
      className={cn(
        inText
          ? 'inline-flex min-h-11 items-center justify-self-start text-sm underline decoration-1 underline-offset-4 hover:text-ink sm:min-h-8'
          : // As large as a finger, in no more room than the line has.
            '-my-2.5 inline-grid size-11 flex-none place-items-center rounded-1 text-text-2 hover:text-ink [&_svg]:size-4.5',
        className,
      )}
    >
      {inText ? 'Ver na Ajuda' : <CircleQuestionMark aria-hidden="true" />}
    </a>
  )
}
