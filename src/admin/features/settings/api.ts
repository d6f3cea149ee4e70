import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { AlertWebhookAnswer, AlertWebhookInput, AlertWebhookTest } from '#contract/alerts.ts'

const CHAT_KEY = ['alerts', 'webhook']
const PATH = '/alerts/webhook'

export function useChat() {
  const { admin } = useServices()
  return useQuery({ queryKey: CHAT_KEY, queryFn: () => admin<AlertWebhookAnswer>(PATH) })
}

export function useSaveChat() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: (body: AlertWebhookInput) => admin<AlertWebhookAnswer>(PATH, { method: 'PUT', body }),
    onSuccess: (answer) => queryClient.setQueryData(CHAT_KEY, answer),
  })
}

export function useRemoveChat() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: () => admin<AlertWebhookAnswer>(PATH, { method: 'DELETE' }),
    onSuccess: (answer) => {
      queryClient.setQueryData(CHAT_KEY, answer)
      notifySuccess('Chat desconectado')
    },
    onError: (error) => notifyFailure('Não foi possível desconectar o chat.', error),
  })
}

/** A message that the chat refuses is no failure of the request: its reason is shown with the chat. */
export function useTestChat() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: () => admin<AlertWebhookTest>(`${PATH}/test`, { method: 'POST', body: {} }),
    onSuccess: ({ problem }) => {
      if (problem === null) notifySuccess('Teste enviado', { description: 'Confira a mensagem no chat.' })
    },
    onError: (error) => notifyFailure('Não foi possível enviar o teste.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: CHAT_KEY }),
  })
}
