import type { NewPrincipal } from './ensure-principal.ts'

/** What the operator sees when the account is made or taken over, and again until somebody has signed in. */
export function announcePrincipal(email: string, { how, password }: NewPrincipal, adminUrl: string): string {
  const line = '  ────────────────────────────────────────────────────────────'
  const text = {
    created: ['  Administrador principal criado.'],
    'taken over': [
      '  Já havia uma conta com o e-mail do administrador principal.',
      '  Agora ela é sua: a senha foi trocada, a verificação em duas etapas',
      '  desligada e todas as suas sessões encerradas.',
    ],
    unused: ['  Ninguém entrou ainda com a senha do administrador principal.'],
  }[how]
  return [
    '',
    line,
    ...text,
    ...(password === null
      ? ['  A senha é a de PRINCIPAL_ADMIN_PASSWORD.']
      : ['  Guarde esta senha: ela só é mostrada até o primeiro acesso.']),
    '',
    `    Painel  ${adminUrl}/admin`,
    `    Email   ${email}`,
    ...(password === null ? [] : [`    Senha   ${password}`]),
    line,
    '',
    '',
  ].join('\n')
}
