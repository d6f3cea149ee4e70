import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { CONTROL } from './field.tsx'
import { IconButton } from './icon-button.tsx'

export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  const [shown, setShown] = useState(false)
  return (
    <div className="relative">
      <input
        {...props}
        type={shown ? 'text' : 'password'}
        autoCapitalize="none"
        spellCheck={false}
        className={`${CONTROL} pr-13`}
      />
      <IconButton
        label={shown ? 'Ocultar senha' : 'Mostrar senha'}
        onClick={() => setShown(!shown)}
        className="absolute top-0.5 right-0.5"
      >
        {shown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
      </IconButton>
    </div>
  )
}
