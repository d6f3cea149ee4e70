import { CircleCheck, CircleDot, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import { formatSeconds } from '#admin/lib/format.ts'
import { CONVERSION_NAMES, type DeliveryCheck } from '#contract/conversions.ts'
import { SERVER_EVENT_LABELS } from '#contract/server-event.ts'
import type { TagVerdict } from '#contract/tag-report.ts'
import type { TestCopy, TestStep } from '#contract/tag-test.ts'
import { CodeBlock } from '../code.tsx'

const ICONS: Record<StepWords['tone'], [typeof CircleCheck, string, string]> = {
  ok: [CircleCheck, 'text-ok', 'Certo: '],
  bad: [CircleX, 'text-bad', 'Problema: '],
  warn: [TriangleAlert, 'text-warn', 'Atenção: '],
  plain: [CircleDot, 'text-text-2', ''],
}

/** What the page saw, in the order in which it saw it. */
export function TestSteps({ steps, waitsFor }: { steps: readonly TestStep[]; waitsFor: string | null }) {
  return (
    <ol aria-live="polite" aria-relevant="additions" className="py-1">
      {steps.map((step, index) => {
        const { tone, title, text, mark } = describeStep(step)
        const [Icon, colour, spoken] = ICONS[tone]
        return (
          <li
            // Steps are only ever added.
            // biome-ignore lint/suspicious/noArrayIndexKey: its place is what a step is known by.
            key={index}
            className="grid grid-cols-[3.25rem_1.25rem_minmax(0,1fr)] items-start gap-x-3 border-t border-line px-4 py-3 first:border-t-0 sm:px-5"
          >
            <span className="pt-0.5 text-right text-sm text-text-2 tabular-nums">
              {formatSeconds(step.at)}
            </span>
            <Icon aria-hidden="true" className={`mt-0.5 size-5 ${colour}`} />
            <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
              <div className="min-w-0 flex-[1_1_14rem] wrap-anywhere">
                <b className="font-semibold">
                  <span className="sr-only">{spoken}</span>
                  {title}
                </b>
                {text ? <p className="text-sm text-pretty text-text-2">{text}</p> : null}
              </div>
              {mark ? <span className="text-sm font-semibold text-text-2">{mark}</span> : null}
              {step.copy?.check ? <CopyDetails check={step.copy.check} /> : null}
            </div>
          </li>
        )
      })}
      {waitsFor === null ? null : (
        <li className="grid grid-cols-[3.25rem_1.25rem_minmax(0,1fr)] items-start gap-x-3 border-t border-line px-4 py-3 text-text-2 first:border-t-0 sm:px-5">
          <span />
          <LoaderCircle aria-hidden="true" className="mt-0.5 size-5 motion-safe:animate-spin" />
          {waitsFor}
        </li>
      )}
    </ol>
  )
}

/** Beside nothing to scroll to: an answer is one long line. */
const WRAPPED = 'max-h-60 whitespace-pre-wrap wrap-anywhere'

/** What the server sent, to the letter, and what came back. */
function CopyDetails({ check: { request, response } }: { check: DeliveryCheck }) {
  const sent = `${request.method} ${request.url}\n\n${JSON.stringify(request.body, null, 2)}`
  return (
    <details className="w-full text-sm">
      <summary className="inline-flex min-h-11 cursor-pointer items-center font-semibold text-text-2 hover:text-ink">
        O que enviamos e a resposta
      </summary>
      <div className="grid grid-cols-1 gap-2 pb-1">
        <CodeBlock code={sent} className={WRAPPED} />
        {response === null ? (
          <p className="text-text-2">Nenhuma resposta veio.</p>
        ) : (
          <CodeBlock
            code={[`HTTP ${response.status}`, response.body].filter(Boolean).join('\n\n')}
            className={WRAPPED}
          />
        )}
      </div>
    </details>
  )
}

interface StepWords {
  tone: 'ok' | 'bad' | 'warn' | 'plain'
  title: string
  text?: string
  /** One or two words beside it. */
  mark?: string
}

const TONES: Record<TagVerdict, StepWords['tone']> = {
  answered: 'ok',
  sent: 'ok',
  unknown: 'plain',
  failed: 'bad',
}

const MARKS: Record<TagVerdict, string> = {
  answered: 'respondido',
  sent: 'enviado',
  unknown: 'desconhecido',
  failed: 'não saiu ou falhou',
}

const TEXTS: Record<TagVerdict, string> = {
  answered: 'Houve resposta; se foi aceito, só a plataforma diz.',
  sent: 'O navegador viu o pedido sair.',
  unknown: 'Este navegador não conta o que aconteceu com o pedido.',
  failed: 'Bloqueador deste navegador ou rede: não foi a nossa política.',
}

/** A step in plain words, bounded by what a page can know (docs/evidence.md). */
function describeStep({
  kind,
  ok,
  host,
  verdict = 'unknown',
  status,
  conversion,
  text,
  copy,
}: TestStep): StepWords {
  switch (kind) {
    case 'opened':
      return { tone: 'ok', title: 'O site abriu', text: 'O código do link foi usado e não vale mais.' }
    case 'asked':
      return {
        tone: 'ok',
        title: 'O aviso de cookies apareceu',
        text: 'Nada foi pedido a ninguém antes da escolha.',
      }
    case 'chosen':
      return ok
        ? {
            tone: 'ok',
            title: 'Você liberou a categoria desta tag',
            text: 'A escolha vale só para este teste.',
          }
        : { tone: 'warn', title: 'A sua escolha não liberou a tag', text: 'Nada dela rodou, como deve ser.' }
    case 'file':
      return ok
        ? { tone: 'ok', title: 'O código da tag carregou', text: 'Servido pelo nosso site.' }
        : { tone: 'bad', title: 'O código da tag não carregou', text: 'Bloqueador deste navegador ou rede.' }
    case 'script':
      return ok
        ? { tone: 'ok', title: 'O arquivo da plataforma carregou', text: host ?? '' }
        : {
            tone: 'bad',
            title: 'O arquivo da plataforma não carregou',
            text: `${host ?? ''}: bloqueador deste navegador ou rede. Não foi a nossa política.`,
          }
    case 'stopped':
      return {
        tone: 'bad',
        title: 'A nossa política barrou um pedido',
        text: `${host ?? 'Um endereço sem nome público'}. Não foi um bloqueador: fomos nós.`,
        mark: 'barrado por nós',
      }
    case 'request':
      return {
        tone: TONES[verdict],
        title: ok ? 'Um envio com o ID deste pixel' : 'Um pedido da tag',
        text: `${host ?? ''}. ${TEXTS[verdict]}`,
        mark: status === undefined ? MARKS[verdict] : `${MARKS[verdict]}, ${status}`,
      }
    case 'cookie':
      return { tone: 'ok', title: 'Um cookie apareceu', text: text ?? '' }
    case 'error':
      return { tone: 'bad', title: 'Um erro no código', text: (text ?? '').replace(/^Uncaught /, '') }
    case 'conversion':
      return {
        tone: ok === false ? 'warn' : 'ok',
        title: conversion === undefined ? 'Conversão' : CONVERSION_NAMES[conversion],
        text:
          ok === undefined
            ? 'O nosso servidor recebeu a conversão. A página continuou aberta, e nada entrou nos números do painel nem na newsletter.'
            : ok
              ? 'A plataforma recebeu a conversão e pode contá-la. A página continuou aberta, e nada entrou nos números do painel nem na newsletter.'
              : 'Nenhuma chamada da plataforma estava lá para ser feita.',
      }
    case 'copy':
      return describeCopy(copy)
    case 'settled':
      return ok === false
        ? {
            tone: 'bad',
            title: 'A visita não foi enviada',
            text: 'Este navegador teria visto, e não viu nenhum envio.',
          }
        : { tone: 'plain', title: 'Nada mais a caminho' }
    case 'left':
      return { tone: 'plain', title: 'A aba do site foi fechada' }
  }
}

const COPY_TONES: Record<DeliveryCheck['state'], StepWords['tone']> = {
  accepted: 'ok',
  unconfirmed: 'plain',
  refused: 'bad',
  waiting: 'warn',
}

const COPY_MARKS: Record<DeliveryCheck['state'], string> = {
  accepted: 'aceito',
  unconfirmed: 'sem confirmação',
  refused: 'recusado',
  waiting: 'sem aceite',
}

function describeCopy(copy: TestCopy | undefined): StepWords {
  const title = `Cópia do servidor${copy === undefined ? '' : `: ${SERVER_EVENT_LABELS[copy.event]}`}`
  const text = copy?.message ?? ''
  if (copy?.check == null) return { tone: 'warn', title, text, mark: 'não enviada' }
  const { state, response } = copy.check
  const mark = response === null ? 'sem resposta' : `${COPY_MARKS[state]}, ${response.status}`
  return { tone: COPY_TONES[state], title, text, mark }
}
