import type { NewPrincipal } from './ensure-principal.ts'

/** What the operator sees once: when the account is made, or taken over. */
export function announcePrincipal(email: string, { how, password }: NewPrincipal, adminUrl: string): string {
  const line = '  ────────────────────────────────────────────────────────────'
  const text =
    how === 'created'
      ? ['  Administrador principal criado.']
      : [
          '  Já havia uma conta com o e-mail do administrador principal.',
          '  Agora ela é sua: a senha foi trocada, a verificação em duas etapas',
          '  desligada e todas as suas sessões encerradas.',
        ]
  return [
    '',
    line,
    ...text,
    ...(password === null
      ? ['  A senha é a de PRINCIPAL_ADMIN_PASSWORD.']
      : ['  Guarde esta senha agora: ela não será mostrada de novo.']),
    '',
    `    Painel  ${adminUrl}/admin`,
    `    Email   ${email}`,
    ...(password === null ? [] : [`    Senha   ${password}`]),
    line,
    '',
    '',
  ].join('\n')
}
