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

/** What the page saw, in order. */
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

/** Wrapped instead of scrolled: an answer is one long line. */
const WRAPPED = 'max-h-60 whitespace-pre-wrap wrap-anywhere'

/** What the server sent, exactly, and the answer. */
function CopyDetails({ check: { request, response } }: { check: DeliveryCheck }) {
  const sent = `${request.method} ${request.url}\n\n${JSON.stringify(request.body, null, 2)}`
  return (
    <details className="w-full text-sm">
      <summary className="inline-flex min-h-11 cursor-pointer items-center font-semibold text-text-2 hover:text-ink">
        Ver o envio e a resposta
      </summary>
      <div className="grid grid-cols-1 gap-2 pb-1">
        <CodeBlock code={sent} className={WRAPPED} />
        {response === null ? (
          <p className="text-text-2">Nenhuma resposta.</p>
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
  unknown: 'sem informação',
  failed: 'não enviado',
}

const TEXTS: Record<TagVerdict, string> = {
  answered: 'A plataforma respondeu. Só ela sabe se aceitou.',
  sent: 'O navegador confirmou o envio.',
  unknown: 'Este navegador não informa se o envio foi concluído.',
  failed: 'Causa provável: um bloqueador de anúncios ou a rede. O site não bloqueou.',
}

/** A step in plain words, limited to what a page can know (docs/explain/health.md). */
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
      return { tone: 'ok', title: 'O site abriu', text: 'O link de teste já foi usado e não vale mais.' }
    case 'asked':
      return {
        tone: 'ok',
        title: 'O aviso de cookies apareceu',
        text: 'Nada foi enviado antes da sua resposta.',
      }
    case 'chosen':
      return ok
        ? {
            tone: 'ok',
            title: 'Você aceitou a categoria desta tag',
            text: 'Sua resposta vale só para este teste.',
          }
        : {
            tone: 'warn',
            title: 'Você não aceitou a categoria desta tag',
            text: 'A tag não rodou, como esperado.',
          }
    case 'file':
      return ok
        ? { tone: 'ok', title: 'O código da tag carregou', text: 'Veio do nosso site.' }
        : {
            tone: 'bad',
            title: 'O código da tag não carregou',
            text: 'Causa provável: um bloqueador de anúncios ou a rede. Desative o bloqueador e teste novamente.',
          }
    case 'script':
      return ok
        ? { tone: 'ok', title: 'O arquivo da plataforma carregou', text: host ?? '' }
        : {
            tone: 'bad',
            title: 'O arquivo da plataforma não carregou',
            text: `${host ?? ''}. Causa provável: um bloqueador de anúncios ou a rede. O site não bloqueou.`,
          }
    case 'stopped':
      return {
        tone: 'bad',
        title: 'O site bloqueou um envio da tag',
        text: `${host ?? 'Domínio não identificado'}. O bloqueio foi das regras de segurança do site, não de um bloqueador de anúncios.`,
        mark: 'bloqueado pelo site',
      }
    case 'request':
      return {
        tone: TONES[verdict],
        title: ok ? 'Visita enviada com o ID deste pixel' : 'Outro envio da tag',
        text: `${host ?? ''}. ${TEXTS[verdict]}`,
        mark: status === undefined ? MARKS[verdict] : `${MARKS[verdict]}, ${status}`,
      }
    case 'cookie':
      return { tone: 'ok', title: 'A tag criou um cookie', text: text ?? '' }
    case 'error':
      return { tone: 'bad', title: 'Erro no código da tag', text: (text ?? '').replace(/^Uncaught /, '') }
    case 'conversion':
      return {
        tone: ok === false ? 'warn' : 'ok',
        title: conversion === undefined ? 'Conversão' : CONVERSION_NAMES[conversion],
        text:
          ok === undefined
            ? 'Nosso servidor recebeu a conversão de teste. No teste, o clique não sai da página, e nada entra nos números do painel nem na newsletter.'
            : ok
              ? 'Passamos a conversão de teste para a tag da plataforma, que pode contar. No teste, o clique não sai da página, e nada entra nos números do painel nem na newsletter.'
              : 'A tag não tinha a função que envia conversões. Confira o código do pixel.',
      }
    case 'copy':
      return describeCopy(copy)
    case 'settled':
      return ok === false
        ? {
            tone: 'bad',
            title: 'A tag não enviou a visita',
            text: 'O navegador não registrou nenhum envio. Confira o ID e o código do pixel.',
          }
        : { tone: 'plain', title: 'Nenhum envio pendente' }
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
  waiting: 'não aceito agora',
}

function describeCopy(copy: TestCopy | undefined): StepWords {
  const title = `Envio pelo servidor${copy === undefined ? '' : `: ${SERVER_EVENT_LABELS[copy.event]}`}`
  const text = copy?.message ?? ''
  if (copy?.check == null) return { tone: 'warn', title, text, mark: 'não enviado' }
  const { state, response } = copy.check
  const mark = response === null ? 'sem resposta' : `${COPY_MARKS[state]}, ${response.status}`
  return { tone: COPY_TONES[state], title, text, mark }
}
