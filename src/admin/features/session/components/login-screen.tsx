import { BrandMark } from '../../../components/brand-mark.tsx'
import { MessageBox } from '../../../components/message-box.tsx'
import { useServices } from '../../../lib/services.tsx'
import { LoginForm } from './login-form.tsx'

/** The form stands in the lit doorway. */
export function LoginScreen({ notice }: { notice: string | null }) {
  const { boot } = useServices()
  return (
    <main className="on-ink grid min-h-dvh place-items-end-safe justify-center overflow-hidden px-6 pt-22 sm:px-10 sm:pt-18">
      <div className="doorway flex min-h-[calc(100dvh-120px)] w-full flex-col bg-surface px-8 pt-19 pb-5 text-ink [--focus:var(--ink)] sm:min-h-[min(740px,100dvh-104px)] sm:w-[440px] sm:px-11 sm:pt-26 sm:pb-8">
        <BrandMark className="mx-auto mb-6 w-[39px]" />
        <h1 className="text-center text-[1.75rem] tracking-[-0.035em]">Admin Dashboard</h1>
        <p className="mx-auto mt-1.5 mb-7 max-w-[17em] text-center text-balance text-text-2">
          Faça login para acessar o painel administrativo
        </p>
        <div className="grid gap-4.5">
          {notice ? <MessageBox look="bad">{notice}</MessageBox> : null}
          {boot.secureContext ? null : (
            <MessageBox look="warn">
              Este endereço não usa https, e sem ele o navegador não guarda o login. Abra o painel por https.
            </MessageBox>
          )}
          <LoginForm />
        </div>
        <a
          href={boot.siteUrl}
          className="mx-auto mt-auto flex min-h-11 items-center px-3 text-[0.9375rem] text-text-2 underline underline-offset-4 hover:text-ink"
        >
          Voltar ao site
        </a>
      </div>
    </main>
  )
}
