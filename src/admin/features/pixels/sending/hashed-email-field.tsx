import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { PixelForm } from '../api/save-pixel.ts'

/** Whether Meta is told the hash of a subscriber's e-mail, and what that means in law. */
export function HashedEmailField({ form }: { form: UseFormReturn<PixelForm> }) {
  const id = useId()
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-3">
      <input
        id={id}
        type="checkbox"
        aria-describedby={`${id}-law`}
        className="mt-0.5 size-5.5 accent-ink"
        {...form.register('send_hashed_email')}
      />
      <div>
        <label htmlFor={id} className="text-[0.9375rem] font-semibold">
          Enviar o e-mail das inscrições em código (hash)
        </label>
        <p id={`${id}-law`} className="text-sm text-pretty text-text-2">
          Só o de quem aceitou Marketing. Em código, o e-mail continua a ser dado pessoal para a LGPD: com ele
          a Meta reconhece quem tem conta com esse endereço. A política de privacidade e o aviso de cookies
          precisam dizê-lo.
        </p>
      </div>
    </div>
  )
}
