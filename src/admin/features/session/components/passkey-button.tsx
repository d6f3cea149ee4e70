import { KeyRound } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { useSignInWithPasskey } from '../api/sign-in-with-passkey.ts'

export function PasskeyButton() {
  const signIn = useSignInWithPasskey()
  return (
    <div className="-mt-1 grid gap-4.5">
      <Button
        look="outline"
        className="min-h-13 text-base"
        aria-disabled={signIn.isPending}
        onClick={() => signIn.isPending || signIn.mutate()}
      >
        <KeyRound aria-hidden="true" className="size-5" />
        {signIn.isPending ? 'Aguardando a chave...' : 'Entrar com chave de acesso'}
      </Button>
      <FailureBox error={signIn.error} fallback="Não foi possível entrar com a chave de acesso." />
    </div>
  )
}
