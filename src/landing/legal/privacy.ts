import { companyName, type LegalDocument, type LegalParties } from './legal-document.ts'

/** In the policy while an active pixel sends it. */
const EMAIL_SHARING =
  'Se você aceitou os cookies de marketing e se inscreveu na newsletter, enviamos à Meta o seu e-mail transformado em um código que não pode ser lido de volta (hash SHA-256), para medir o resultado dos anúncios. Não guardamos esse código depois do envio e paramos de enviá-lo assim que você retira o consentimento.'

export function privacyPolicy(parties: LegalParties): LegalDocument {
  const officer = parties.dpoEmail ?? parties.contactEmail
  return {
    intro: `Esta política explica como a ${companyName(parties)} trata dados pessoais de visitantes deste site, de clientes e de quem paga por meio da nossa plataforma, conforme a Lei nº 13.709/2018 (LGPD).`,
    sections: [
      {
        title: 'Dados que coletamos',
        blocks: [
          'Coletamos somente o necessário para cada finalidade:',
          [
            'Cadastro: nome ou razão social, CPF ou CNPJ, e-mail, telefone, endereço, dados bancários e documentos de identificação.',
            'Transações: valor, data, meio de pagamento, resultado e dados do pagador. Números de cartão são tratados em ambiente PCI DSS Nível 1.',
            parties.logsRequests
              ? 'Navegação: registros de acesso exigidos pelo Marco Civil da Internet, tipo de dispositivo e, com o seu consentimento, cookies de medição.'
              : 'Navegação: com o seu consentimento, cookies de medição.',
            'Contato: o que você nos envia por e-mail, WhatsApp ou formulário, inclusive o e-mail da newsletter.',
          ],
        ],
      },
      {
        title: 'Como usamos os dados',
        blocks: [
          [
            'Abrir e manter a sua conta, processar pagamentos e saques (execução de contrato).',
            'Prevenir fraudes, lavagem de dinheiro e outros ilícitos (obrigação legal e proteção do crédito).',
            'Prestar suporte e melhorar o serviço (legítimo interesse).',
            'Enviar a newsletter e medir campanhas (consentimento, que você pode revogar quando quiser).',
          ],
        ],
      },
      {
        title: 'Compartilhamento',
        blocks: [
          'Seus dados nunca são vendidos.',
          'Compartilhamos o mínimo necessário com adquirentes, bandeiras, bancos e arranjos de pagamento; com prestadores que operam em nosso nome, sob contrato e sigilo; e com autoridades, quando a lei ou uma ordem judicial exige. Em pagamentos internacionais, a transferência segue os artigos 33 a 36 da LGPD.',
          ...(parties.sendsEmail ? [EMAIL_SHARING] : []),
        ],
      },
      {
        title: 'Segurança',
        blocks: [
          'Usamos criptografia em trânsito e em repouso, acesso por função com registro de uso, monitoramento 24/7 e certificação PCI DSS Nível 1. Se um incidente puder causar risco ou dano relevante, comunicamos à ANPD e às pessoas afetadas nos prazos legais.',
        ],
      },
      {
        title: 'Retenção',
        blocks: [
          'Guardamos os dados enquanto a conta existir e, depois, pelos prazos abaixo. Ao fim de cada prazo, excluímos ou anonimizamos.',
          retentionPeriods(parties),
        ],
      },
      {
        title: 'Seus direitos',
        blocks: [
          'Você pode, a qualquer momento e sem custo, pedir:',
          [
            'confirmação do tratamento e acesso aos dados;',
            'correção, anonimização, bloqueio ou eliminação;',
            'portabilidade e informação sobre compartilhamentos;',
            'revogação do consentimento e oposição a tratamentos;',
            'revisão de decisões automatizadas, como a análise antifraude.',
          ],
          'Respondemos em até 15 dias. Você também pode reclamar à Autoridade Nacional de Proteção de Dados (ANPD).',
        ],
      },
      {
        title: 'Cookies',
        blocks: [
          'Cookies não essenciais só são usados depois da sua escolha. Veja os tipos, para que servem e como mudar sua escolha na Política de Cookies.',
        ],
      },
      {
        title: 'Mudanças nesta política',
        blocks: [
          'Podemos atualizar este texto. Mudanças relevantes são avisadas neste site ou por e-mail antes de valerem, e a data no início indica a versão vigente. Se a mudança depender do seu consentimento, pedimos de novo.',
        ],
      },
      {
        title: 'Contato',
        blocks: [`Encarregado pelo tratamento de dados pessoais: ${officer}. São Paulo, Brasil.`],
      },
    ],
  }
}

/** Access logs: six months by law (Marco Civil da Internet, art. 15); the other periods are configured. */
function retentionPeriods({ retention, logsRequests }: LegalParties): string[] {
  return [
    'Dados de transações e de prevenção à lavagem de dinheiro: até 10 anos, por lei.',
    ...(logsRequests ? ['Registros de acesso: 6 meses, por lei.'] : []),
    'E-mail da newsletter: até o cancelamento.',
    `Registro da sua escolha de cookies: ${inWords(retention.consentDays)}.`,
    `Histórico de uso do painel: ${inWords(retention.auditDays)}.`,
    `Tentativas de acesso que falharam: ${inWords(retention.failedLoginDays)}.`,
    `Contagens de tags, que não identificam ninguém: ${inWords(retention.reportDays)}.`,
  ]
}

const UNITS = [
  ['year', 365.25],
  ['month', 365.25 / 12],
] as const

/** The period in years or months where that is exact to the day, otherwise in days: 1826 is "5 anos", 90 is "90 dias". */
function inWords(days: number): string {
  for (const [unit, length] of UNITS) {
    const count = Math.round(days / length)
    if (days > 100 && Math.abs(days - count * length) < 1) return format(count, unit)
  }
  return format(days, 'day')
}

/** With a space that keeps number and unit on one line. */
function format(count: number, unit: 'year' | 'month' | 'day'): string {
  const text = new Intl.NumberFormat('pt-BR', { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  return text.replace(' ', '\u00a0')
}
