import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { Modal, ModalBody, ModalFooter, ModalForm } from '#admin/components/modal.tsx'
import type { Pixel } from '#contract/pixel.ts'
import { META_TEST_CODE } from '../sending/meta-test-code.ts'

interface TestCodeModalProps {
  pixel: Pick<Pixel, 'id' | 'delivery'>
  onStart: (code: string) => void
  onClose: () => void
}

const codeKey = (pixelId: string) => ['test-code', pixelId] as const

/** Meta tells a test from a visitor by a code of its own, which only its page gives. */
export function TestCodeModal({ pixel, onStart, onClose }: TestCodeModalProps) {
  const queryClient = useQueryClient()
  const [code, setCode] = useState(() => queryClient.getQueryData<string>(codeKey(pixel.id)) ?? '')
  const [isAsked, setAsked] = useState(false)
  const isNeeded = pixel.delivery === 'server'
  const typed = code.trim()
  const isWrong = typed === '' ? isNeeded : !META_TEST_CODE.test(typed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (isWrong) return
    queryClient.setQueryData(codeKey(pixel.id), typed)
    onStart(typed)
  }
  return (
    <Modal title="Testar agora" width="md" dirty={false} onClose={onClose}>
      {(close) => (
        <ModalForm onSubmit={submit}>
          <ModalBody>
            <Field
              label={isNeeded ? 'Código de teste da Meta' : 'Código de teste da Meta (opcional)'}
              error={isAsked && isWrong ? 'Informe o código de teste da Meta, como TEST48213.' : undefined}
              hint={`Está em Testar eventos, no Gerenciador de Eventos, onde o envio do servidor vai aparecer. ${
                isNeeded ? '' : 'Sem ele, o teste mostra só o navegador. '
              }A Meta ainda conta o teste nos relatórios dela.`}
            >
              {(control) => (
                <Input
                  {...control}
                  value={code}
                  onChange={(event) => setCode(event.target.value)}
                  placeholder="TEST48213"
                  maxLength={64}
                  autoComplete="off"
                  autoCapitalize="characters"
                  spellCheck={false}
                  className="font-mono"
                />
              )}
            </Field>
          </ModalBody>
          <ModalFooter>
            <Button look="outline" onClick={close}>
              Cancelar
            </Button>
            <Button type="submit">Abrir o site</Button>
          </ModalFooter>
        </ModalForm>
      )}
    </Modal>
  )
}
