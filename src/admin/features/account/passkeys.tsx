import { KeyRound } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { SectionCard } from '#admin/components/card.tsx'
import { ConfirmDialog } from '#admin/components/modal.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { QueryView, Skeleton } from '#admin/components/query-view.tsx'
import { canUsePasskeys } from '#admin/lib/auth-client.ts'
import { formatAgo, formatMinute, formatTimestamp } from '#admin/lib/format.ts'
import { type Passkey, useCreatePasskey, usePasskeys, useRemovePasskey } from './api.ts'

const nameOf = (key: Passkey) => key.friendly_name ?? 'Chave de acesso'

export function PasskeysSection() {
  const passkeys = usePasskeys()
  const create = useCreatePasskey()
  const remove = useRemovePasskey()
  const [leaving, setLeaving] = useState<Passkey | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(passkeys.data?.length ?? 0, heading)
  return (
    <SectionCard
      title="Chaves de acesso"
      heading={heading}
      text="Entre com a digital, o rosto ou o PIN do seu dispositivo, sem digitar senha. Sua senha continua valendo."
      action={
        canUsePasskeys() ? (
          <Button look="outline" onClick={() => create.mutate()} pending={create.isPending}>
            {create.isPending ? 'Aguardando o dispositivo...' : 'Criar chave de acesso'}
          </Button>
        ) : null
      }
    >
      <QueryView
        query={passkeys}
        failure="Não foi possível carregar suas chaves de acesso."
        loading={
          <div className="border-t border-line px-5 py-4 sm:px-7" aria-hidden="true">
            <Skeleton className="h-4 w-40 rounded" />
          </div>
        }
      >
        {(keys) =>
          keys.length === 0 ? null : (
            <ul>
              {keys.map((key) => (
                <PasskeyItem key={key.id} passkey={key} onRemove={() => setLeaving(key)} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {leaving ? (
        <ConfirmDialog
          title="Remover esta chave de acesso?"
          description={`Não será mais possível entrar com "${nameOf(leaving)}". Apague a chave também no gerenciador de senhas do dispositivo.`}
          confirmLabel="Remover"
          onCancel={() => setLeaving(null)}
          onConfirm={() => {
            remove.mutate(leaving.id)
            setLeaving(null)
          }}
        />
      ) : null}
    </SectionCard>
  )
}

function PasskeyItem({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const name = nameOf(passkey)
  const { created_at: created, last_used_at: used } = passkey
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-5 py-4 sm:px-7">
      <KeyRound aria-hidden="true" className="size-6 flex-none text-text-2 max-sm:hidden" />
      <div className="min-w-0 flex-[1_1_8rem]">
        <p className="font-semibold wrap-anywhere">{name}</p>
        <ul className="flex flex-wrap gap-x-4 text-sm text-text-2 max-sm:flex-col">
          <li>
            Criada em{' '}
            <time dateTime={created} title={formatTimestamp(created)}>
              {formatMinute(created)}
            </time>
          </li>
          <li>
            {used === undefined ? (
              'Nunca usada'
            ) : (
              <>
                Último uso:{' '}
                <time dateTime={used} title={formatTimestamp(used)}>
                  {formatAgo(used, Date.now())}
                </time>
              </>
            )}
          </li>
        </ul>
      </div>
      <Button
        look="outline"
        aria-label={`Remover chave de acesso: ${name}, criada em ${formatMinute(created)}`}
        onClick={onRemove}
      >
        Remover
      </Button>
    </li>
  )
}
