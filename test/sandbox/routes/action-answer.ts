import type { FastifyReply } from 'fastify';
import type { Shapes } from '../shapes';

/** Answers a send or an enrolment in the chosen form. */
export function actionAnswer(
	reply: FastifyReply,
	shape: Shapes['sendAnswer'],
	record: object,
): FastifyReply {
	switch (shape) {
		case 'record':
			return reply.send(record);
		case 'empty':
			return reply.code(204).send();
		case 'message':
			return reply.send({ message: 'queued' });
	}
}
