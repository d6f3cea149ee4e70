import { useState } from 'react'
import { Button, QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { notifyUnsaved } from '#admin/components/toast.tsx'
import { canUsePasskeys } from '#admin/lib/auth-client.ts'
import { useEndPasswordOffer, useKeepPassword } from '#admin/lib/notices.ts'
import { ChangePasswordModal } from './account-screen.tsx'
import { useCreatePasskey } from './api.ts'

/** After the first sign-in with a password that the program made. Nothing waits for the answer. */
export function PasswordOffer() {
  const [isChanging, setChanging] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const keep = useKeepPassword(notifyUnsaved)
  const end = useEndPasswordOffer()
  const create = useCreatePasskey()
  return (
    <Card className="mb-6 px-5 py-4 sm:px-7 sm:py-5">
      <section aria-labelledby="offer-heading" className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="flex-[1_1_20rem]">
          <h3 id="offer-heading" className="text-base">
            {isChanged ? 'Quer entrar sem digitar a senha?' : 'Escolha uma senha sua'}
          </h3>
          <p className="mt-0.5 text-[0.9375rem] text-pretty text-text-2">
            {isChanged
              ? 'Com uma chave de acesso, você entra com a digital, o rosto ou o PIN do dispositivo.'
              : 'Você entrou com a senha que o Pórtico criou. Troque por uma que só você conheça. Se quiser, crie também uma chave de acesso e entre com a digital, o rosto ou o PIN.'}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-3 max-sm:w-full max-sm:*:flex-auto">
          {isChanged ? null : <Button onClick={() => setChanging(true)}>Alterar senha</Button>}
          {canUsePasskeys() ? (
            <Button
              look="outline"
              pending={create.isPending}
              onClick={() => create.mutate(undefined, { onSuccess: () => isChanged && end() })}
            >
              {create.isPending ? 'Aguardando o dispositivo...' : 'Criar chave de acesso'}
            </Button>
          ) : null}
          <QuietButton pending={keep.isPending} onClick={() => (isChanged ? end() : keep.mutate())}>
            Agora não
          </QuietButton>
        </div>
      </section>
      {isChanging ? (
        <ChangePasswordModal
          onClose={() => setChanging(false)}
          onChanged={() => (canUsePasskeys() ? setChanged(true) : end())}
        />
      ) : null}
    </Card>
  )
}
