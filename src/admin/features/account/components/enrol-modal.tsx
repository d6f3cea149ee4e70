import { useForm } from 'react-hook-form'
import { APP_CODE_RULE, AppCodeField } from '#admin/components/app-code-field.tsx'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Modal, ModalBody, ModalFooter, ModalForm } from '#admin/components/modal.tsx'
import { notifyFailure } from '#admin/components/notify.ts'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { type Enrolment, useConfirmEnrolment } from '../api/second-factor.ts'
import { RecoveryCodesModal } from './recovery-codes-modal.tsx'

interface EnrolModalProps {
  /** Undefined while the server makes it. */
  enrolment: Enrolment | undefined
  failure: unknown
  onClose: () => void
}

/** Scan, type one code, keep the recovery codes. */
export function EnrolModal({ enrolment, failure, onClose }: EnrolModalProps) {
  const confirm = useConfirmEnrolment()
  const { register, handleSubmit, formState, setFocus } = useForm({ defaultValues: { code: '' } })
  if (confirm.data && 'codes' in confirm.data)
    return <RecoveryCodesModal codes={confirm.data.codes} isNew onClose={onClose} />
  const submit = handleSubmit(({ code }) => {
    if (enrolment === undefined) return
    confirm.mutate(
      { factorId: enrolment.factorId, code },
      {
        onError: () => setFocus('code', { shouldSelect: true }),
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
    <Modal
      title="Ativar verificação em duas etapas"
      width="md"
      dirty={false}
      saving={confirm.isPending}
      onClose={onClose}
    >
      {(close) => (
        <ModalForm onSubmit={submit}>
          <ModalBody>
            <FailureBox
              error={confirm.error ?? failure}
              fallback="Não foi possível ativar a verificação em duas etapas."
            />
            <ol className="grid gap-4.5">
              <li className="grid gap-3">
                <p>
                  <strong className="font-semibold">1.</strong> Abra um aplicativo autenticador no celular
                  (Google Authenticator, Microsoft Authenticator, 1Password…) e leia este código:
                </p>
                <Picture enrolment={enrolment} />
              </li>
              <li className="grid gap-3">
                <p>
                  <strong className="font-semibold">2.</strong> Digite o código de 6 dígitos que o aplicativo
                  mostra.
                </p>
                <AppCodeField error={formState.errors.code?.message} {...register('code', APP_CODE_RULE)} />
              </li>
            </ol>
          </ModalBody>
          <ModalFooter>
            <Button look="outline" onClick={close}>
              Cancelar
            </Button>
            <Button type="submit" pending={confirm.isPending || enrolment === undefined}>
              {confirm.isPending ? 'Conferindo...' : 'Ativar'}
            </Button>
          </ModalFooter>
        </ModalForm>
      )}
    </Modal>
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
        Não consegue ler? Digite esta chave no aplicativo:
        <code className="mt-1 block font-mono text-[0.9375rem] tracking-wide wrap-anywhere text-ink select-all">
          {enrolment.secret.match(/.{1,4}/g)?.join(' ')}
        </code>
      </p>
    </>
  )
}
