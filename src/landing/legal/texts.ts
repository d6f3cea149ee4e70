import type { EmailSharing } from '#contract/site.ts'
import { VISIT_CODE_DAYS } from '#contract/visit-code.ts'
import { companyName, joinNames, type LegalDocument, type LegalFacts, type LegalSlug } from './document.ts'

/** In the policy while active pixels send it. */
function emailParagraph({ recipients, ofCustomers }: EmailSharing): string {
  const customers = ofCustomers ? ' ou virou cliente' : ''
  const to = joinNames(recipients.map((who) => who.replace(/^a /, 'à ').replace(/^o /, 'ao ')))
  return `Se você aceitou os cookies de marketing e se inscreveu na newsletter${customers}, enviamos ${to} o seu e-mail transformado em um código que não pode ser lido de volta (hash SHA-256), para medir o resultado dos anúncios. Não guardamos esse código depois do envio e paramos de enviá-lo assim que você retira o consentimento.`
}

const UNITS = [
  ['year', 365.25],
  ['month', 365.25 / 12],
] as const

/** The one source of the four texts, for pages and dialog. */
export const LEGAL_DOCUMENTS: Record<LegalSlug, (facts: LegalFacts) => LegalDocument> = {
  privacidade: privacyPolicy,
  termos: termsOfUse,
  cookies: cookiePolicy,
  compliance: complianceProgram,
}

function complianceProgram(facts: LegalFacts): LegalDocument {
  return {
    intro: `Atender nichos de alto risco exige controles mais rigorosos, não menos. Este é o programa de integridade da ${companyName(facts)}, que vale para administradores, equipe, parceiros e clientes.`,
    sections: [
      {
        title: 'Prevenção à lavagem de dinheiro',
        blocks: [
          'Seguimos a Lei nº 9.613/1998 e as normas do Banco Central e do Coaf aplicáveis, com abordagem baseada em risco:',
          [
            'identificação e qualificação de clientes, sócios e beneficiários finais antes da primeira transação;',
            'verificação de pessoas expostas politicamente e reforço da diligência em segmentos sensíveis;',
            'atualização cadastral periódica e limites coerentes com a atividade declarada;',
            'guarda de cadastros e registros pelos prazos legais.',
          ],
        ],
      },
      {
        title: 'Combate ao financiamento do terrorismo',
        blocks: [
          'Consultamos listas restritivas nacionais e internacionais, inclusive as do Conselho de Segurança das Nações Unidas. Diante de uma correspondência confirmada, bloqueamos os ativos sem demora e comunicamos as autoridades, conforme as Leis nº 13.260/2016 e nº 13.810/2019.',
        ],
      },
      {
        title: 'Monitoramento de transações suspeitas',
        blocks: [
          'Todas as transações passam por regras e modelos que buscam fracionamento, valores incompatíveis, uso de contas de terceiros e outros sinais. Alertas são analisados por especialistas, e o que for suspeito é comunicado ao Coaf no prazo legal, sem aviso ao envolvido.',
        ],
      },
      {
        title: 'Auditorias',
        blocks: [
          'O programa é testado por auditoria interna e por auditores independentes ao menos uma vez por ano. A certificação PCI DSS Nível 1 é renovada por avaliador credenciado. Os achados têm responsável, prazo e acompanhamento da diretoria.',
        ],
      },
      {
        title: 'Treinamento',
        blocks: [
          'Toda a equipe é treinada na admissão e a cada ano em prevenção à lavagem de dinheiro, proteção de dados, segurança da informação e anticorrupção. Áreas de risco recebem formação específica.',
        ],
      },
      {
        title: 'Ética e conduta',
        blocks: [
          'Não toleramos corrupção, suborno, fraude, discriminação nem assédio (Lei nº 12.846/2013). Brindes, conflitos de interesse e relações com agentes públicos seguem regras escritas. Quem viola o código responde por isso, qualquer que seja o cargo.',
        ],
      },
      {
        title: 'Canal de denúncias',
        blocks: [
          `Relate desvios para ${facts.contactEmail}, com o assunto “Canal de denúncias”. O relato pode ser anônimo, é tratado com sigilo por pessoas sem ligação com o fato, e ninguém sofre retaliação por relatar de boa-fé.`,
        ],
      },
    ],
  }
}

function cookiePolicy(facts: LegalFacts): LegalDocument {
  return {
    intro: `Cookies são pequenos arquivos que um site grava no seu navegador. Esta política explica quais cookies a ${facts.brandName} usa, para que servem e como você decide. Nada além do essencial é gravado antes da sua escolha, e o site funciona por completo se você recusar.`,
    sections: [
      {
        title: 'Cookies essenciais',
        blocks: [
          'Fazem o site funcionar e não podem ser desligados: lembram a sua escolha sobre cookies por 182 dias e protegem o acesso administrativo. Base legal: legítimo interesse e exercício regular de direitos.',
        ],
      },
      {
        title: 'Cookies de desempenho',
        blocks: [
          'Medem visitas, origem do tráfego e velocidade das páginas, para sabermos o que melhorar. Um exemplo é o Google Analytics. Só com o seu consentimento.',
        ],
      },
      {
        title: 'Cookies de funcionalidade',
        blocks: [
          'Lembram preferências e personalizam recursos, como um atendimento por chat. Só com o seu consentimento.',
        ],
      },
      {
        title: 'Cookies de marketing',
        blocks: [
          'Medem o resultado de anúncios e permitem mostrar campanhas a quem já visitou o site. Exemplos são o pixel da Meta e tags do Google Tag Manager. Podem envolver o envio de dados a essas empresas, no Brasil e no exterior. Só com o seu consentimento.',
        ],
      },
      {
        title: 'Como mudar sua escolha',
        blocks: [
          'Use “Preferências de cookies”, no rodapé do site, a qualquer momento e sem custo. Revogar é tão simples quanto aceitar: os cookies que o site consegue alcançar são apagados e os scripts deixam de rodar. Guardamos um registro da escolha com data e categorias, sem o seu endereço IP.',
        ],
      },
      {
        title: 'Como gerenciar no navegador',
        blocks: [
          'Você também pode bloquear ou apagar cookies nas configurações de privacidade do navegador:',
          [
            'Chrome: Configurações, Privacidade e segurança, Cookies de terceiros.',
            'Safari: Ajustes, Apps, Safari, Privacidade e segurança.',
            'Firefox: Configurações, Privacidade e segurança, Cookies e dados de sites.',
            'Edge: Configurações, Cookies e permissões de site.',
          ],
          'Ao apagar todos os cookies, a sua escolha também é esquecida e o aviso volta a aparecer.',
        ],
      },
      {
        title: 'Dúvidas',
        blocks: [`Escreva para ${facts.dpoEmail ?? facts.contactEmail}.`],
      },
    ],
  }
}

function privacyPolicy(facts: LegalFacts): LegalDocument {
  const officer = facts.dpoEmail ?? facts.contactEmail
  return {
    intro: `Esta política explica como a ${companyName(facts)} trata dados pessoais de visitantes deste site, de clientes e de quem paga por meio da nossa plataforma, conforme a Lei nº 13.709/2018 (LGPD).`,
    sections: [
      {
        title: 'Dados que coletamos',
        blocks: [
          'Coletamos somente o necessário para cada finalidade:',
          [
            'Cadastro: nome ou razão social, CPF ou CNPJ, e-mail, telefone, endereço, dados bancários e documentos de identificação.',
            'Transações: valor, data, meio de pagamento, resultado e dados do pagador. Números de cartão são tratados em ambiente PCI DSS Nível 1.',
            facts.logsRequests
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
      ...(facts.countsVisits ? [visitCounts(facts)] : []),
      visitCode(facts),
      {
        title: 'Compartilhamento',
        blocks: [
          'Seus dados nunca são vendidos.',
          'Compartilhamos o mínimo necessário com adquirentes, bandeiras, bancos e arranjos de pagamento; com prestadores que operam em nosso nome, sob contrato e sigilo; e com autoridades, quando a lei ou uma ordem judicial exige. Em pagamentos internacionais, a transferência segue os artigos 33 a 36 da LGPD.',
          ...(facts.emailSharing ? [emailParagraph(facts.emailSharing)] : []),
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
          retentionPeriods(facts),
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

/** The code of a visit, as `server/outcomes` keeps it. */
function visitCode({ emailSharing }: LegalFacts): LegalDocument['sections'][number] {
  const neverSent = emailSharing?.ofCustomers
    ? 'nunca enviamos seu nome ou endereço com o resultado. O e-mail só vai em forma de código (hash), para as empresas citadas em "Compartilhamento".'
    : 'nunca enviamos seu nome, e-mail ou endereço com o resultado.'
  return {
    title: 'Código da visita',
    blocks: [
      'Se você aceitou os cookies de desempenho ou de marketing, os links para abrir conta, entrar e falar pelo WhatsApp levam um código aleatório da sua visita. Assim sabemos qual campanha trouxe cada conta aberta e cada conversa (consentimento).',
      `Só quando você usa um desses links guardamos, por ${inWords(VISIT_CODE_DAYS)}, o canal, a campanha e, se você aceitou marketing, os identificadores de clique do anúncio, criptografados. Se você retirar o consentimento, apagamos esses dados na hora. O código nunca é ligado à contagem de visitas.`,
      `Quando o nosso sistema confirma um resultado com esse código, como uma conta aprovada ou uma primeira venda, somamos o resultado e o valor à campanha, sem guardar de quem são. Se você aceitou os cookies da categoria, podemos informar o resultado à plataforma do anúncio, com a data, o identificador de clique que é dela e, às vezes, o valor. Conferimos o seu consentimento de novo antes de enviar e ${neverSent}`,
    ],
  }
}

/** How visits are counted, as `server/visits` does it. */
function visitCounts({ retention }: LegalFacts): LegalDocument['sections'][number] {
  return {
    title: 'Contagem de visitas',
    blocks: [
      'Contamos visitas e cliques sem cookies, para saber quantas pessoas vêm, de onde e por qual campanha (legítimo interesse). Quando você abre a página, o servidor transforma o endereço IP e o nome do navegador em um código com um segredo do dia. Endereço e navegador são esquecidos em um segundo. O segredo e os códigos são destruídos meia hora depois do fim do dia.',
      `Ficam só números, que não identificam ninguém, por até ${inWords(retention.visitDays)}: visitas, visitantes do dia, cliques, origem, campanha e tipo de aparelho. Nada disso é ligado à sua escolha de cookies, à sua conta ou à newsletter, nem enviado a outras empresas.`,
      'Para se opor, marque "Não contar minhas visitas" em Preferências de cookies, no rodapé: um cookie essencial lembra disso, e nada seu é contado. Com o Global Privacy Control ligado no navegador, contamos só que a página foi aberta, sem o código, e nenhum cookie opcional é usado, a não ser que você escolha.',
    ],
  }
}

/** Access logs: six months by law (Marco Civil da Internet, art. 15); the other periods are configured. */
function retentionPeriods({ retention, logsRequests }: LegalFacts): string[] {
  return [
    'Dados de transações e de prevenção à lavagem de dinheiro: até 10 anos, por lei.',
    ...(logsRequests ? ['Registros de acesso: 6 meses, por lei.'] : []),
    'E-mail da newsletter: até o cancelamento.',
    `Registro da sua escolha de cookies: ${inWords(retention.consentDays)}.`,
    `Código da visita, com canal e campanha: ${inWords(VISIT_CODE_DAYS)}.`,
    `Histórico de uso do painel: ${inWords(retention.auditDays)}.`,
    `Tentativas de acesso que falharam: ${inWords(retention.failedLoginDays)}.`,
    `Contagens de tags, que não identificam ninguém: ${inWords(retention.reportDays)}.`,
  ]
}

/** In years or months if that is exact to the day, otherwise in days: 1826 is "5 anos", 90 is "90 dias". */
function inWords(days: number): string {
  for (const [unit, length] of UNITS) {
    const count = Math.round(days / length)
    if (days > 100 && Math.abs(days - count * length) < 1) return format(count, unit)
  }
  return format(days, 'day')
}

/** With a non-breaking space between number and unit. */
function format(count: number, unit: 'year' | 'month' | 'day'): string {
  const text = new Intl.NumberFormat('pt-BR', { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  return text.replace(' ', '\u00a0')
}

function termsOfUse(facts: LegalFacts): LegalDocument {
  return {
    intro: `Estes termos valem entre você e a ${companyName(facts)} para o uso deste site e da plataforma de pagamentos. Ao abrir uma conta, você declara que leu e aceitou o que segue.`,
    sections: [
      {
        title: 'Elegibilidade',
        blocks: [
          'Podem abrir conta pessoas jurídicas regularmente constituídas e pessoas físicas com 18 anos ou mais e plena capacidade civil. Quem representa uma empresa declara ter poderes para isso.',
          'A abertura depende de análise cadastral e de risco. Segmentos regulados, como apostas de quota fixa, precisam comprovar a autorização exigida em lei.',
        ],
      },
      {
        title: 'Uso da plataforma',
        blocks: [
          'Você se compromete a usar a plataforma de forma lícita e a:',
          [
            'vender somente o que a lei permite e descrever com clareza produto, preço e política de reembolso;',
            'não processar transações de terceiros sem contrato nem simular vendas;',
            'não tentar contornar limites, regras antifraude ou medidas de segurança;',
            'responder às contestações (chargebacks) e aos pedidos de documentos nos prazos informados.',
          ],
          'Podemos suspender operações diante de indício de fraude, ordem de autoridade ou violação destes termos, com aviso sempre que a lei permitir. Tarifas, prazos e reservas constam da proposta comercial aceita por você.',
        ],
      },
      {
        title: 'Segurança da conta',
        blocks: [
          'Suas credenciais e chaves de API são pessoais e sigilosas. Ative a verificação em duas etapas, limite o acesso da sua equipe e avise-nos imediatamente em caso de suspeita de uso indevido. Operações feitas com as suas credenciais antes do aviso são consideradas suas, salvo falha comprovada do nosso serviço.',
        ],
      },
      {
        title: 'Propriedade intelectual',
        blocks: [
          `Marca, software, documentação, textos e desenhos da ${facts.brandName} são protegidos por lei. Durante o contrato, você recebe uma licença limitada, não exclusiva e intransferível de uso. Os seus dados e a sua marca continuam seus.`,
        ],
      },
      {
        title: 'Limites de responsabilidade',
        blocks: [
          'Prestamos o serviço com diligência, com meta de disponibilidade de 99,9%. Não respondemos por produto ou serviço vendido por você, por indisponibilidade de bancos, bandeiras ou redes de terceiros, nem por caso fortuito ou força maior.',
          'Nas relações entre empresas, a responsabilidade limita-se às tarifas pagas nos doze meses anteriores ao fato. Nada aqui afasta direitos que a lei não permite limitar, como os do consumidor, nem a responsabilidade por dolo ou culpa grave.',
        ],
      },
      {
        title: 'Mudanças nestes termos',
        blocks: [
          'Podemos alterar estes termos com aviso de 30 dias neste site ou por e-mail, salvo quando a lei ou um regulador exigir prazo menor. Se você não concordar, pode encerrar a conta sem custo antes da vigência.',
        ],
      },
      {
        title: 'Lei aplicável e foro',
        blocks: [
          'Estes termos seguem as leis da República Federativa do Brasil. Fica eleito o foro da Comarca de São Paulo, SP, ressalvado o direito do consumidor de propor ação no próprio domicílio.',
          `Dúvidas: ${facts.contactEmail}.`,
        ],
      },
    ],
  }
}
