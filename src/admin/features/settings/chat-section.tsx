import { useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { SectionCard } from '#admin/components/card.tsx'
import { lazyPart, OpenedPart } from '#admin/components/error-boundary.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { ConfirmDialog } from '#admin/components/modal.tsx'
import { QueryView, Skeleton } from '#admin/components/query-view.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { ALERT_NAMES, type AlertWebhook, CHAT_NAMES } from '#contract/alerts.ts'
import { useChat, useRemoveChat, useTestChat } from './api.ts'

/** The chat that gets alerts of the whole team. */
export function ChatSection() {
  const chat = useChat()
  const heading = useRef<HTMLHeadingElement>(null)
  const [isEditing, setEditing] = useState(false)
  const webhook = chat.data?.webhook ?? null
  return (
    <SectionCard
      title="Avisos no chat da equipe"
      heading={heading}
      text="Quando uma tag tem problema, o aviso chega ao canal da equipe no Slack, no Discord ou em outro sistema. As mensagens nunca trazem dados de visitantes."
      action={
        chat.data !== undefined && webhook === null ? (
          <Button look="outline" onClick={() => setEditing(true)}>
            Conectar chat
          </Button>
        ) : null
      }
    >
      {chat.data !== undefined && webhook === null ? null : (
        <div aria-busy={chat.isPending} className="border-t border-line px-5 py-4 sm:px-7">
          <QueryView
            query={chat}
            failure="Não foi possível carregar o chat dos avisos."
            loading={<Skeleton className="my-2 h-4 w-56 rounded-md" />}
          >
            {() =>
              webhook === null ? null : (
                <Connected
                  webhook={webhook}
                  onEdit={() => setEditing(true)}
                  onRemoved={() => heading.current?.focus()}
                />
              )
            }
          </QueryView>
        </div>
      )}
      {isEditing ? (
        <OpenedPart onClose={() => setEditing(false)}>
          <ChatForm webhook={webhook} onClose={() => setEditing(false)} />
        </OpenedPart>
      ) : null}
    </SectionCard>
  )
}

const ChatForm = lazyPart(async () => (await import('./chat-form.tsx')).ChatForm)

interface ConnectedProps {
  webhook: AlertWebhook
  onEdit: () => void
  /** Called when its buttons are gone. */
  onRemoved: () => void
}

function Connected({ webhook, onEdit, onRemoved }: ConnectedProps) {
  const test = useTestChat()
  const remove = useRemoveChat()
  const [isAsking, setAsking] = useState(false)
  const { format, kinds, last } = webhook
  return (
    <>
      {last?.problem ? (
        <MessageBox look="bad" advice={last.problem}>
          {`A última mensagem não chegou, em ${formatMinute(last.at)}.`}
        </MessageBox>
      ) : null}
      <dl className="grid gap-x-6 gap-y-1 text-[0.9375rem] not-first:mt-4 sm:grid-cols-[auto_1fr]">
        <dt className="text-text-2 not-first:max-sm:mt-2">Chat</dt>
        <dd>{CHAT_NAMES[format]}</dd>
        <dt className="text-text-2 not-first:max-sm:mt-2">Endereço</dt>
        <dd>Salvo e criptografado. Não aparece mais na tela.</dd>
        <dt className="text-text-2 not-first:max-sm:mt-2">Avisa quando</dt>
        <dd>
          {kinds.length === 0 ? 'nenhum aviso escolhido' : kinds.map((kind) => ALERT_NAMES[kind]).join('; ')}
        </dd>
        {last !== null && last.problem === null ? (
          <>
            <dt className="text-text-2 not-first:max-sm:mt-2">Última mensagem</dt>
            <dd>{`Chegou em ${formatMinute(last.at)}`}</dd>
          </>
        ) : null}
      </dl>
      <div className="mt-4 flex flex-wrap gap-3 max-sm:*:flex-auto">
        <Button pending={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? 'Enviando...' : 'Enviar teste'}
        </Button>
        <Button look="outline" onClick={onEdit}>
          Alterar
        </Button>
        <Button look="outline" pending={remove.isPending} onClick={() => setAsking(true)}>
          Desconectar
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title="Desconectar o chat?"
          description="Os avisos deixam de chegar ao chat, e o endereço é apagado. Para conectar de novo, você vai precisar dele."
          confirmLabel="Desconectar"
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            remove.mutate(undefined, { onSuccess: onRemoved })
          }}
        />
      ) : null}
    </>
  )
}
