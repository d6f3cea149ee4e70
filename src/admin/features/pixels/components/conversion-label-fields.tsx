import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { CONVERSION_NAMES, CONVERSIONS } from '#contract/conversions.ts'
import type { ConversionLabelField } from '#contract/tag-status.ts'
import type { PreviewState } from '../api/preview-tag.ts'
import { givenLabels, type PixelForm } from '../api/save-pixel.ts'

interface ConversionLabelFieldsProps {
  form: UseFormReturn<PixelForm>
  preview: PreviewState
}

/** Where the vendor tells its conversions apart by labels: one field for each of ours. */
export function ConversionLabelFields({ form, preview: { preview } }: ConversionLabelFieldsProps) {
  const fields = preview?.labels ?? storedFields(form)
  if (fields.length === 0) return null
  const errors = form.formState.errors.conversion_labels
  const typed = Object.values(form.watch('conversion_labels'))
  return (
    <fieldset className="grid gap-3">
      <legend className="text-[0.9375rem] font-semibold">Rótulos de conversão</legend>
      <p className="text-sm text-text-2">Uma conversão sem rótulo não é enviada.</p>
      {fields.map(({ conversion, label, placeholder, found }) => (
        <Field key={conversion} label={label} error={errors?.[conversion]?.message}>
          {(control) => (
            <>
              <Input
                placeholder={placeholder}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                className="font-mono"
                {...control}
                {...form.register(`conversion_labels.${conversion}`)}
              />
              {found === null || typed.includes(found) ? null : (
                <Button
                  look="outline"
                  className="justify-self-start"
                  onClick={() => {
                    form.setValue(`conversion_labels.${conversion}`, found, { shouldDirty: true })
                    form.setFocus(`conversion_labels.${conversion}`)
                  }}
                >
                  Usar {found}, que está no código
                </Button>
              )}
            </>
          )}
        </Field>
      ))}
    </fieldset>
  )
}

/** While nobody says what the vendor asks for: what is stored can be seen and changed. */
function storedFields({ getValues }: UseFormReturn<PixelForm>): ConversionLabelField[] {
  if (Object.keys(givenLabels(getValues('conversion_labels'))).length === 0) return []
  return CONVERSIONS.map((conversion) => ({
    conversion,
    label: CONVERSION_NAMES[conversion],
    placeholder: '',
    found: null,
  }))
}
