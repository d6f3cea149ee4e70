import { Check, Plus, ShieldCheck, TestTubeDiagonal, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, CopyButton, QuietButton } from '#admin/components/button.tsx'
import { notifyUnsaved } from '#admin/components/toast.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatList } from '#admin/lib/format.ts'
import { useHideFirstSteps } from '#admin/lib/notices.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import type { FirstSteps as Known } from '#contract/admin-page.ts'

interface FirstStepsProps {
  known: Known
  pixels: readonly { id: string }[]
  onAdd: () => void
}

/** What a new installation still needs: a list while there is no pixel, then one line that opens it. */
export function FirstSteps({ known, pixels, onAdd }: FirstStepsProps) {
  const { siteUrl } = useServices().boot
  const [isOpen, setOpen] = useState(false)
  const steps = describeSteps(known, pixels, siteUrl)
  if (isOpen || pixels.length === 0) return <StepList steps={steps} canMail={known.mail} onAdd={onAdd} />
  return <StepLine steps={steps} onContinue={() => setOpen(true)} />
}

interface Step {
  id: 'pixel' | 'test' | 'factor' | 'mail' | 'https' | 'contact'
  title: string
  text: string
  /** After "Falta": what is left to do. */
  left: string
  isDone: boolean
  /** Why it cannot be done yet. */
  waits?: string
  /** For the person who runs the server: what to set. */
  request?: string
  /** Where it is done. */
  path?: string
}

function describeSteps(known: Known, pixels: readonly { id: string }[], siteUrl: string): Step[] {
  const [first] = pixels
  return [
    {
      id: 'pixel',
      title: 'Crie o primeiro pixel',
      text: 'Cole o código que a Meta, o Google ou outra plataforma deu a você. Preenchemos o resto.',
      left: 'criar o primeiro pixel',
      isDone: first !== undefined,
    },
    {
      id: 'test',
      title: 'Teste o pixel',
      text: 'Você visita o site e vê, passo a passo, o que ele envia.',
      left: 'testar o pixel',
      isDone: known.tested,
      ...(first === undefined ? { waits: 'depois do primeiro pixel' } : { path: paths.pixel(first.id) }),
    },
    {
      id: 'factor',
      title: 'Proteja seu acesso',
      text: 'Um código do celular, além da senha. Leva dois minutos.',
      left: 'ativar a verificação em duas etapas',
      isDone: known.second_factor,
      path: paths.account,
    },
    {
      id: 'mail',
      title: 'Ative o envio de e-mails',
      text: 'Convites, senhas novas, avisos de falha e o resumo da semana saem por ele. No servidor: SMTP_URL.',
      left: 'ativar o envio de e-mails',
      isDone: known.mail,
      request: `Olá! O painel de pixels (${siteUrl}/admin) ainda não envia e-mails. Por favor, defina SMTP_URL no servidor com o endereço do nosso servidor de e-mail, por exemplo smtps://usuario:senha@smtp.exemplo.com.br:465, e reinicie o Pórtico.`,
    },
    {
      id: 'https',
      title: 'Use um endereço https',
      text: 'Com ele, senhas e dados são enviados com criptografia. No servidor: SITE_URL.',
      left: 'usar um endereço https',
      isDone: known.https,
      request: `Olá! O site está em ${siteUrl}. Por favor, configure o certificado (TLS) no proxy, defina SITE_URL no servidor com o endereço público que começa com https:// e reinicie o Pórtico.`,
    },
    {
      id: 'contact',
      title: 'Diga quem responde pelos dados',
      text: 'O nome e o contato aparecem na política de privacidade. No servidor: COMPANY_LEGAL_NAME e DPO_EMAIL.',
      left: 'dizer quem responde pelos dados',
      isDone: known.data_contact,
      request:
        'Olá! A política de privacidade do site ainda não diz quem responde pelos dados (LGPD). Por favor, defina no servidor COMPANY_LEGAL_NAME (razão social) e DPO_EMAIL (e-mail do encarregado) e reinicie o Pórtico.',
    },
  ]
}

interface StepListProps {
  steps: readonly Step[]
  canMail: boolean
  onAdd: () => void
}

function StepList({ steps, canMail, onAdd }: StepListProps) {
  const hide = useHideFirstSteps(notifyUnsaved)
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone, waits }) => !isDone && waits === undefined)
  return (
    <section
      aria-labelledby="steps-heading"
      className="on-ink mb-4 grid overflow-clip rounded-2xl lg:grid-cols-[18rem_minmax(0,1fr)]"
    >
      <div className="flex flex-col overflow-clip px-5 pt-5.5 sm:px-7 sm:pt-7">
        <h3 id="steps-heading" className="text-[1.375rem] tracking-[-0.025em]">
          Primeiros passos
        </h3>
        <p className="mt-2 max-w-prose text-[0.9375rem] text-on-ink-2">
          Quando os seis estiverem prontos, esta lista desaparece.
        </p>
        <p className="mt-4 text-[0.9375rem]">
          <b className="mr-1.5 text-[1.75rem] tracking-[-0.03em]">{done}</b>
          de {steps.length} {done === 1 ? 'pronto' : 'prontos'}
        </p>
        <QuietButton
          className="mx-0 self-start px-0 text-sm text-on-ink hover:text-accent"
          pending={hide.isPending}
          onClick={() => hide.mutate(true)}
        >
          Esconder por enquanto
        </QuietButton>
        <Arches done={done} total={steps.length} />
      </div>
      <div className="border-t border-surface/12 py-2 lg:border-t-0 lg:border-l">
        <ol>
          {steps.map((step) => (
            <StepItem key={step.id} step={step} isNext={step === next} onAdd={onAdd} />
          ))}
        </ol>
        {canMail ? (
          <p className="border-t border-surface/12 px-4 pt-3.5 pb-2 text-sm text-pretty text-on-ink-2 sm:px-6">
            Quer as visitas, os cliques e as campanhas da semana por e-mail, toda segunda às 8h?{' '}
            <Link href={paths.account} className="text-on-ink underline underline-offset-4 hover:text-accent">
              Ative o resumo em Minha conta
            </Link>
          </p>
        ) : null}
      </div>
    </section>
  )
}

interface StepItemProps {
  step: Step
  isNext: boolean
  onAdd: () => void
}

function StepItem({ step, isNext, onAdd }: StepItemProps) {
  const { title, text, isDone } = step
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] items-center gap-x-3 gap-y-2 border-t border-surface/8 px-4 py-3.5 first:border-t-0 sm:grid-cols-[1.75rem_minmax(0,1fr)_14.5rem] sm:gap-x-4 sm:px-6 sm:py-3">
      <span
        aria-hidden="true"
        className={cn(
          'arch mt-0.5 grid h-6.5 w-5.5 place-items-center self-start [&_svg]:size-4 [&_svg]:stroke-3',
          isDone
            ? 'bg-accent text-ink'
            : cn('border-2', isNext ? 'border-accent bg-accent/15' : 'border-ink-3'),
        )}
      >
        {isDone ? <Check /> : null}
      </span>
      <div className={cn(isDone && 'sm:col-span-2')}>
        <p className={cn('leading-snug', isDone ? 'font-medium text-on-ink-2' : 'font-semibold')}>
          {title}
          {isDone ? <span className="sr-only">: pronto</span> : null}
        </p>
        {isDone ? null : <p className="mt-0.5 text-sm text-pretty text-on-ink-2">{text}</p>}
      </div>
      {isDone ? null : (
        <div className="flex flex-wrap max-sm:col-start-2">
          <StepAction step={step} isNext={isNext} onAdd={onAdd} />
        </div>
      )}
    </li>
  )
}

/** The next step's button is the only filled one. */
function StepAction({ step, isNext, onAdd }: StepItemProps): ReactNode {
  const look = cn('w-full max-md:border-current', isNext && FILLED)
  if (step.waits !== undefined) return <p className="text-[0.8125rem] text-on-ink-2">{step.waits}</p>
  if (step.request !== undefined)
    return <CopyButton text={step.request} label="Copiar pedido ao TI" look="onInk" className={look} />
  if (step.path === undefined)
    return (
      <Button look="onInk" className={look} onClick={onAdd}>
        <Plus aria-hidden="true" />
        Adicionar Pixel
      </Button>
    )
  return (
    <Link href={step.path} className={cn('button button-on-ink', look)}>
      {step.id === 'test' ? <TestTubeDiagonal aria-hidden="true" /> : <ShieldCheck aria-hidden="true" />}
      {step.id === 'test' ? 'Testar o pixel' : 'Ativar verificação em duas etapas'}
    </Link>
  )
}

const FILLED = 'border-accent bg-accent text-ink max-md:border-accent hover:bg-accent hover:brightness-95'

/** One arch for each step, as many highlighted as are done. */
function Arches({ done, total }: { done: number; total: number }) {
  return (
    <div
      aria-hidden="true"
      className="-mx-7 mt-6 flex flex-1 items-end gap-3 border-b-[1.5px] border-ink-3 px-7 max-lg:max-h-24 lg:mb-6 lg:min-h-28"
    >
      {Array.from({ length: total }, (_, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: an arch is where it stands.
          key={index}
          className={cn(
            'h-20 max-w-10 flex-1 rounded-t-full border-[1.5px] border-b-0 lg:h-28',
            index < done
              ? 'border-accent bg-accent'
              : index === done
                ? 'border-dashed border-accent bg-accent/10'
                : 'border-ink-3 bg-surface/5',
          )}
        />
      ))}
    </div>
  )
}

/** Once there is a pixel. */
function StepLine({ steps, onContinue }: { steps: readonly Step[]; onContinue: () => void }) {
  const hide = useHideFirstSteps(notifyUnsaved)
  const left = steps.filter(({ isDone }) => !isDone)
  return (
    <section
      aria-label="Primeiros passos"
      className="on-ink mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-2xl px-4 py-3 sm:pl-5"
    >
      <span aria-hidden="true" className="flex gap-1.5">
        {steps.map(({ id }, index) => (
          <span
            key={id}
            className={cn(
              'arch h-[17px] w-[13px]',
              index < steps.length - left.length ? 'bg-accent' : 'border-[1.5px] border-ink-3',
            )}
          />
        ))}
      </span>
      <p className="flex-[1_1_14rem] text-[0.9375rem] text-pretty text-on-ink-2">
        <b className="font-semibold text-on-ink">
          Primeiros passos: {steps.length - left.length} de {steps.length}.
        </b>{' '}
        Falta {formatList(left.map((step) => step.left))}.
      </p>
      <div className="flex gap-1 max-sm:w-full">
        <Button look="onInk" className={cn('max-sm:flex-1', FILLED)} onClick={onContinue}>
          Continuar
        </Button>
        <button
          type="button"
          aria-label="Esconder os primeiros passos"
          title="Esconder os primeiros passos"
          className="inline-grid size-11 place-items-center rounded-1 text-on-ink-2 hover:bg-surface/10 hover:text-on-ink"
          onClick={() => hide.mutate(true)}
        >
          <X aria-hidden="true" className="size-5" />
        </button>
      </div>
    </section>
  )
}
