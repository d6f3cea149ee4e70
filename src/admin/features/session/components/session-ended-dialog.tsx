import * as Dialog from '@radix-ui/react-dialog'
import { BrandMark } from '#admin/components/brand-mark.tsx'
import { OVERLAY, SHEET } from '#admin/components/dialog-style.ts'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { useReturnFocus } from '#admin/components/use-return-focus.ts'
import { SESSION_ENDED } from '#contract/error-messages.ts'
import type { SecondFactor } from '../api/pending-factors.ts'
import { useSignOut } from '../api/sign-out.ts'
import { CodeForm } from './code-form.tsx'
import { LoginForm } from './login-form.tsx'

interface SessionEndedDialogProps {
  email: string
  /** What is still owed after the password. */
  factors: SecondFactor[]
}

/** The login over the page: whatever was being typed waits underneath. */
export function SessionEndedDialog({ email, factors }: SessionEndedDialogProps) {
  const signOut = useSignOut()
  const focus = useReturnFocus()
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className={`${OVERLAY} z-30`} />
        <Dialog.Content
          {...focus}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className={`${SHEET} z-30 overflow-y-auto p-7 pt-9 sm:max-w-[26.25rem]`}
        >
          <BrandMark className="mx-auto mb-5 w-[33px]" />
          <Dialog.Title className="text-center text-2xl">Entre de novo</Dialog.Title>
          <Dialog.Description className="mx-auto mt-1.5 mb-6 max-w-[22em] text-center text-balance text-text-2">
            {factors.length > 0 ? 'Falta a segunda confirmação.' : SESSION_ENDED} O que você estava fazendo
            continua aqui.
          </Dialog.Description>
          {factors.length > 0 ? <CodeForm factors={factors} /> : <LoginForm email={email} />}
          <QuietButton className="mt-3" onClick={() => signOut()}>
            Sair sem salvar
          </QuietButton>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
