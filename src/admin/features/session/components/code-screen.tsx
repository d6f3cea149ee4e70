import { QuietButton } from '#admin/components/quiet-button.tsx'
import type { SecondFactor } from '../api/pending-factors.ts'
import { useSignOut } from '../api/sign-out.ts'
import { CodeForm } from './code-form.tsx'
import { DoorFrame } from './door-frame.tsx'

export function CodeScreen({ email, factors }: { email: string; factors: SecondFactor[] }) {
  const signOut = useSignOut()
  return (
    <DoorFrame
      title="Falta um passo"
      text={`A conta ${email} pede uma segunda confirmação.`}
      footer={<QuietButton onClick={() => signOut()}>Entrar com outra conta</QuietButton>}
    >
      <CodeForm factors={factors} />
    </DoorFrame>
  )
}
