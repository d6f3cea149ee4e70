import { Download } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button, CopyButton } from '#admin/components/button.tsx'
import { SectionCard } from '#admin/components/card.tsx'
import { AppCodeField } from '#admin/components/form.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { ConfirmDialog, FormModal, Modal, ModalBody, ModalFooter } from '#admin/components/modal.tsx'
import { Skeleton } from '#admin/components/query-view.tsx'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { saveFile } from '#admin/lib/api.ts'
import { useCurrentUser, useServices } from '#admin/lib/services.tsx'
import { formatCount } from '#contract/format-count.ts'
import {
  type Enrolment,
  useConfirmEnrolment,
  useEnrol,
  useNewRecoveryCodes,
  useSecondFactor,
  useSwitchOff,
} from './api.ts'

const TITLE = 'Verificação em duas etapas'

const FEW_CODES = 3

export function SecondFactorSection() {
  const state = useSecondFactor()
  const [open, setOpen] = useState<'enrol' | 'renew' | 'switch-off' | null>(null)
  const enrol = useEnrol()
  const switchOff = useSwitchOff()
  const newCodes = useNewRecoveryCodes()
  // A failed refresh keeps the screen: the dialogs below show what is shown only once.
  if (state.data === undefined) {
    if (!state.isError)
      return <SectionCard title={TITLE} text={<Skeleton className="mt-2 h-4 w-64 max-w-full rounded" />} />
    return (
      <SectionCard
        title={TITLE}
        text="Não foi possível carregar esta configuração."
        action={
          <Button look="outline" onClick={() => state.refetch()}>
            Tentar novamente
          </Button>
        }
      />
    )
  }
  const { factorIds, hasApp, codesLeft } = state.data
  const isOn = factorIds.length > 0
  const turnOn = () => {
    setOpen('enrol')
    enrol.mutate()
  }
  const turnOff = () => {
    setOpen(null)
    switchOff.mutate(factorIds, {
      onSuccess: () => notifySuccess('Verificação em duas etapas desativada'),
      onError: (error) => notifyFailure('Não foi possível desativar a verificação em duas etapas.', error),
    })
  }
  const renew = () => {
    setOpen(null)
    newCodes.mutate(undefined, {
      onError: (error) => notifyFailure('Não foi possível gerar novos códigos.', error),
    })
  }
  return (
    <SectionCard
      title={TITLE}
      text={
        isOn ? (
          <>
            <strong className="font-semibold text-ok">Ativada.</strong> Além da senha, pedimos{' '}
            {hasApp ? 'um código do seu celular' : 'a chave de acesso do seu dispositivo'} no login. Você
            ainda tem {formatCount(codesLeft, 'código', 'códigos')} de recuperação.
          </>
        ) : (
          'Além da senha, vamos pedir um código do seu celular no login. Assim, ninguém entra só com a sua senha.'
        )
      }
      action={
        isOn ? (
          <>
            <Button look="outline" onClick={() => setOpen('renew')} pending={newCodes.isPending}>
              {newCodes.isPending ? 'Gerando...' : 'Gerar novos códigos'}
            </Button>
            <Button look="outline" onClick={() => setOpen('switch-off')} pending={switchOff.isPending}>
              Desativar
            </Button>
          </>
        ) : (
          <Button onClick={turnOn}>Ativar</Button>
        )
      }
    >
      {isOn && codesLeft <= FEW_CODES ? (
        <div className="px-5 pb-5 sm:px-7 sm:pb-6">
          <MessageBox look="warn">
            {codesLeft === 0
              ? 'Seus códigos de recuperação acabaram. Gere novos para não perder o acesso se ficar sem o celular.'
              : 'Seus códigos de recuperação estão acabando. Gere novos.'}
          </MessageBox>
        </div>
      ) : null}
      {open === 'enrol' ? (
        <EnrolModal enrolment={enrol.data} failure={enrol.error} onClose={() => setOpen(null)} />
      ) : null}
      {newCodes.data ? <RecoveryCodesModal codes={newCodes.data} onClose={() => newCodes.reset()} /> : null}
      {open === 'renew' ? (
        <ConfirmDialog
          title="Gerar novos códigos de recuperação?"
          description="Os códigos anteriores deixam de valer imediatamente."
          confirmLabel="Gerar novos códigos"
          onCancel={() => setOpen(null)}
          onConfirm={renew}
        />
      ) : null}
      {open === 'switch-off' ? (
        <ConfirmDialog
          title="Desativar a verificação em duas etapas?"
          description="Sua conta fica protegida só pela senha, e os códigos de recuperação deixam de valer."
          confirmLabel="Desativar"
          onCancel={() => setOpen(null)}
          onConfirm={turnOff}
        />
      ) : null}
    </SectionCard>
  )
}

interface EnrolModalProps {
  /** Undefined while the server creates it. */
  enrolment: Enrolment | undefined
  failure: unknown
  onClose: () => void
}

/** Scan, enter a code, save the recovery codes. */
function EnrolModal({ enrolment, failure, onClose }: EnrolModalProps) {
  const confirm = useConfirmEnrolment()
  const form = useForm({ defaultValues: { code: '' } })
  if (confirm.data && 'codes' in confirm.data)
    return <RecoveryCodesModal codes={confirm.data.codes} isNew onClose={onClose} />
  const submit = form.handleSubmit(({ code }) => {
    if (enrolment === undefined) return
    confirm.mutate(
      { factorId: enrolment.factorId, code },
      {
        onError: () => form.setFocus('code', { shouldSelect: true }),
        onSuccess: (result) => {
          if ('codes' in result) return
          onClose()
          notifyFailure(
            'A verificação em duas etapas foi ativada, mas os códigos não foram gerados.',
            result.error,
          )
        },
      },
    )
  })
  return (
    <FormModal
      title="Ativar verificação em duas etapas"
      width="md"
      dirty={false}
      action={{ isPending: confirm.isPending, error: confirm.error ?? failure }}
      failure="Não foi possível ativar a verificação em duas etapas."
      submit="Ativar"
      submitting="Verificando..."
      isReady={enrolment !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <ol className="grid gap-4.5">
        <li className="grid gap-3">
          <p>
            <strong className="font-semibold">1.</strong> Abra um aplicativo autenticador no celular (Google
            Authenticator, Microsoft Authenticator ou 1Password, por exemplo) e escaneie o código QR:
          </p>
          <Picture enrolment={enrolment} />
        </li>
        <li className="grid gap-3">
          <p>
            <strong className="font-semibold">2.</strong> Digite o código de 6 dígitos que aparece no
            aplicativo.
          </p>
          <AppCodeField form={form} name="code" />
        </li>
      </ol>
    </FormModal>
  )
}

function Picture({ enrolment }: { enrolment: Enrolment | undefined }) {
  if (enrolment === undefined) return <Skeleton className="mx-auto size-52 rounded-1" />
  return (
    <>
      <img
        src={enrolment.qrCode}
        alt="Código QR para o aplicativo autenticador"
        className="mx-auto size-52 rounded-1 border border-line"
      />
      <p className="text-center text-sm text-text-2">
        Não conseguiu escanear? Digite esta chave no aplicativo:
        <code className="mt-1 block font-mono text-[0.9375rem] tracking-wide wrap-anywhere text-ink select-all">
          {enrolment.secret.match(/.{1,4}/g)?.join(' ')}
        </code>
      </p>
    </>
  )
}

interface RecoveryCodesModalProps {
  codes: string[]
  /** The second factor was just activated. */
  isNew?: boolean
  onClose: () => void
}

const QUESTION = {
  title: 'Já guardou os códigos?',
  description:
    'Não vamos mostrar os códigos de novo. Se você perder o celular e não tiver os códigos, não vai conseguir entrar.',
  cancelLabel: 'Voltar aos códigos',
  confirmLabel: 'Fechar sem guardar',
}

/** Shown once: the server only stores hashes. */
function RecoveryCodesModal({ codes, isNew = false, onClose }: RecoveryCodesModalProps) {
  const { boot } = useServices()
  const { email } = useCurrentUser()
  const download = () => {
    const text = `Códigos de recuperação de ${email} no painel ${boot.brandName}
Cada código vale uma única vez.

${codes.join('\n')}
`
    saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), 'codigos-de-recuperacao.txt')
  }
  return (
    <Modal
      title={isNew ? 'Verificação em duas etapas ativada' : 'Novos códigos de recuperação'}
      width="md"
      dirty
      question={QUESTION}
      onClose={onClose}
    >
      {() => (
        <>
          <ModalBody>
            <p className="text-pretty">
              {isNew ? 'Guarde seus códigos de recuperação.' : 'Os códigos antigos não valem mais.'} Se você
              perder o celular, use um destes códigos para entrar. Cada um vale uma vez.
            </p>
            <ul
              aria-label="Códigos de recuperação"
              className="grid grid-cols-2 gap-x-4 gap-y-2 rounded-1 bg-paper px-4 py-4 text-center font-mono text-[1.0625rem] sm:px-6"
            >
              {codes.map((code) => (
                <li key={code} className="select-all">
                  {code}
                </li>
              ))}
            </ul>
            <div className="flex flex-wrap gap-3 *:flex-1">
              <CopyButton text={codes.join('\n')} />
              <Button look="outline" onClick={download}>
                <Download aria-hidden="true" />
                Baixar
              </Button>
            </div>
            <MessageBox look="warn">
              Não vamos mostrar os códigos de novo. Guarde em um lugar seguro, fora deste computador.
            </MessageBox>
          </ModalBody>
          <ModalFooter>
            <Button onClick={onClose}>Já guardei os códigos</Button>
          </ModalFooter>
        </>
      )}
    </Modal>
  )
}
