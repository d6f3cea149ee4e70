import type { UseFormReturn } from 'react-hook-form'
import type { PixelForm } from '../api/save-pixel.ts'

/** Whether a subscription's conversion carries its address, as the hash that Meta compares with its own. */
export function EmailSwitch({ form }: { form: UseFormReturn<PixelForm> }) {
  return (
    <label className="grid grid-cols-[1.375rem_minmax(0,1fr)] items-start gap-x-3 py-1 text-[0.9375rem] font-semibold">
      <input type="checkbox" className="size-5.5 accent-ink" {...form.register('send_hashed_email')} />
      <span>
        Enviar o e-mail da inscrição, em código
        <span className="block text-sm font-normal text-pretty text-text-2">
          A inscrição na newsletter leva à Meta um código (hash SHA-256) do e-mail, que ela compara com os
          dela. Só de quem aceitou Marketing. Enquanto ligado, o aviso de cookies e a política de privacidade
          dizem isso, e quem já escolheu é perguntado de novo.
        </span>
      </span>
    </label>
  )
}
